import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Draft, ForkChoices, Making, SessionToWrite, StoreWriter, WritePoint, WriteRefusal, WriteWay } from '../../store';
import { runNative } from '../places';
import { historyOf, keptRecords, localTime } from './history';

/**
 * Aider goes on only with a whole history file. So a fork, and a conversation taken back, are a new history beside the
 * old one, which keeps every byte (FORMAT.md, "Writing").
 */
export const writer: StoreWriter = {
  forkWays: ways,
  planFork: (session, point, choices, making) => draw(session, point, choices, making),
  revertWays: ways,
  planRevert: (session, point, choices, making) => draw(session, point, choices, making),
  planAct(session, { act }) {
    if (act === 'trash') return { refused: `The file ${fileOf(session) ?? ''} holds other runs too: Aider keeps all runs of a project in one. Nothing is cut out of it.` };
    return { refused: act === 'rename' ? 'Aider has no names for its runs.' : 'Aider has no archive.' };
  },
  busy: () => ({ busy: null, checked: ['A new file is made; the history Aider writes to is only read, up to the point.'] }),
};

const fileOf = ({ facts }: SessionToWrite): string | null => (typeof facts.own?.['file'] === 'string' && facts.own['file'] !== '' ? facts.own['file'] : null);

function ways(session: SessionToWrite, { before }: WritePoint): WriteWay[] {
  return [{ id: 'history-file', name: 'History file', says: 'A new history beside the original, with what was said until the point. Aider is started on it.', refused: refusalOf(session, before) }];
}

function refusalOf(session: SessionToWrite, before: number | null): string | null {
  if (fileOf(session) === null) return 'Where its history lies is not known.';
  return keptRecords(session, before, false).records.length === 0 ? 'Nothing that was answered stands before this point: nothing would be kept. A new conversation is begun with `aider`.' : null;
}

function draw(session: SessionToWrite, { before }: WritePoint, { way, toolOutput = false, directory, title }: ForkChoices, making: Making): Draft | WriteRefusal {
  if (way !== undefined && way !== 'history-file') return { refused: `Aider’s conversations cannot be taken up by “${way}”.`, instead: [{ way: 'history-file', says: 'A new history beside the original.' }] };
  const refused = refusalOf(session, before);
  const file = fileOf(session);
  if (refused !== null || file === null) return { refused: refused ?? '' };
  const kept = keptRecords(session, before, toolOutput);
  const at = before === null ? null : Number(session.spine.records[before]?.key);
  const bytes = historyOf(session, kept, { native: session.native, before: at }, directory ?? null, making);
  const folder = dirname(file);
  const path = freePath(folder, making.now);
  return {
    way: 'A new history beside the original: Aider can take up a whole file, never a part of one.',
    steps: [{ kind: 'file', path, within: folder, before: { state: 'absent' }, after: { content: { size: bytes.length, pieces: () => [bytes] } }, mode: modeOf(file), why: 'The conversation until the point, for `aider --chat-history-file`.' }],
    limits: limitsOf(session, kept, toolOutput, title?.trim() || null), session: runNative(path, 0),
  };
}

/** Aider's own pattern in .gitignore (`.aider*`) covers the name. */
function freePath(folder: string, now: number): string {
  const name = `.aider.chat.history.${localTime(now).date}-fork`;
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.md`);
    if (!existsSync(path)) return path;
  }
}

function modeOf(file: string): number {
  try {
    return statSync(file).mode & 0o777;
  } catch {
    return 0o600;
  }
}

function limitsOf({ spine, facts }: SessionToWrite, kept: ReturnType<typeof keptRecords>, toolOutput: boolean, title: string | null): string[] {
  const limits = ['Files in the chat, the model and the edit format are not in a history: they are given to Aider again when it is started.'];
  if (kept.unanswered) limits.push('The last prompt was not answered and is left out.');
  if (kept.cleared) limits.push('What had been cleared before the point is left out.');
  if (kept.commands > 0) limits.push('Commands are left out: Aider would take them for something said to the model.');
  limits.push(toolOutput ? 'Messages of the program go along for reading; Aider drops their marked lines when it takes the file up, and takes further lines of a long message for an answer.' : 'Messages of the program (commits, usage, reports of failed edits) are left out.');
  const records = new Set(kept.records);
  if (spine.records.some(({ index, note }) => records.has(index) && Number(note?.['lookalikes'] ?? 0) > 0)) limits.push('An answer has lines that look like prompts or messages: Aider, which goes by line beginnings alone, will misread or drop them.');
  if (spine.evidence.some(({ slot, data }) => slot === 'run' && data['restored'] === true)) limits.push('This run had taken up earlier runs of its file; they do not go along.');
  if (title !== null) limits.push('Aider has no titles: the run is called after its first prompt.');
  if (facts.own?.['usual'] === true) limits.push('Aider finds its usual history by itself, and this file only by its name: `aider --chat-history-file … --restore-chat-history`.');
  return limits;
}
