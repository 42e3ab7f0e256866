import type { Making, SessionToWrite } from '../../store';
import { type ForkedFrom, forkMessage } from '../forked';
import { statesOf } from '../states';

/** What of a run goes into a new history. */
export interface KeptRecords {
  /** Indexes, in order. */
  records: number[];
  /** A last prompt without an answer was left out. */
  unanswered: boolean;
  /** Commands left out: Aider would take them for something said to the model. */
  commands: number;
  /** What had been cleared before the point was left out. */
  cleared: boolean;
}

/**
 * Prompts and answers that the model would have at the point: what was cleared is out, what `/undo` took back stays said, as
 * Aider has it. With `toolOutput` the program's messages since the conversation was cleared go along.
 */
export function keptRecords({ spine }: SessionToWrite, before: number | null, toolOutput: boolean): KeptRecords {
  const records = before === null ? spine.records : spine.records.slice(0, before);
  const { states } = statesOf(records);
  const clearing = records.findLastIndex(({ note }) => note?.['cleared'] === true);
  const isSaid = (index: number) => states[index]?.seen === true && records[index]?.type !== 'tool/failed';
  const answered = records.findLastIndex(({ type, index }) => type === 'answer' && isSaid(index));
  const kept = records.filter(({ index, type }) => {
    if (isSaid(index)) return index <= answered;
    return toolOutput && index > clearing && type.startsWith('tool');
  });
  return {
    records: kept.map(({ index }) => index),
    unanswered: records.some(({ index, type }) => index > answered && type === 'user' && isSaid(index)),
    commands: records.filter(({ index, type }) => type === 'user/command' && index > clearing).length,
    cleared: records.some(({ index, type }) => index < clearing && (type === 'user' || type === 'answer')),
  };
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Local date and time, as Aider writes them. */
export function localTime(now: number): { date: string; time: string } {
  const at = new Date(now);
  return { date: [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-'), time: [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':') };
}

const between = '> What the program said here was left out by Retrace.  \n';

/** The new history: a header that says where it is from, then the records as Aider wrote them. */
export function historyOf(session: SessionToWrite, kept: KeptRecords, from: ForkedFrom, directory: string | null, { now }: Making): Buffer {
  const { date, time } = localTime(now);
  const about = [forkMessage(from), ...(directory === null ? [] : [`Git working dir: ${directory}`])];
  const pieces = [Buffer.from(`\n# aider chat started at ${date} ${time}\n\n${about.map((said) => `> ${said}  \n`).join('')}`)];
  const isCrlf = session.spine.records.some(({ index, type }) => type === 'run' && Buffer.from(session.record(index)).includes('\r\n'));
  let wasAnswer = false;
  for (const index of kept.records) {
    const isAnswer = session.spine.records[index]?.type === 'answer';
    // Two answers of a turn are told apart by what stood between them.
    if (isAnswer && wasAnswer) pieces.push(Buffer.from(between));
    wasAnswer = isAnswer;
    const bytes = Buffer.from(session.record(index));
    // Text that Windows wrote is read everywhere with plain line ends; a CR inside an answer elsewhere is the answer's.
    pieces.push(isCrlf ? Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n').replace(/\r$/, ''), 'latin1') : bytes);
    pieces.push(Buffer.from(isAnswer ? '\n\n' : '\n'));
  }
  return Buffer.concat(pieces);
}
