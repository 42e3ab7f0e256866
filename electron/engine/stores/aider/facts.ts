import { dirname } from 'node:path';
import type { NativeId } from '@shared/model';
import type { EdgeFact, JsonObject, SessionFacts, Spine } from '../store';
import { sourceOf, usualName } from './places';
import { wallTime } from './time';

const textIn = (data: JsonObject | undefined, key: string): string | null => {
  const value = data?.[key];
  return typeof value === 'string' ? value : null;
};

/** What is shown of a run beside its parts. */
export function summarise(session: NativeId, evidence: Spine['evidence']): SessionFacts {
  const fact = evidence.find(({ slot }) => slot === 'run');
  const run = fact?.data;
  const path = fact ? sourceOf(fact.source).path : '';
  const isUsual = path.endsWith(usualName.chat);
  const started = wallTime(textIn(run, 'started') ?? '');
  const models = run?.['models'];
  return {
    kind: 'session',
    title: textIn(run, 'prompt') ?? textIn(run, 'command'),
    // Under its usual name the history lies where the run's folder is; elsewhere only some runs say where they were.
    directory: path === '' ? null : isUsual ? dirname(path) : (textIn(run, 'gitFolder') ?? dirname(path)),
    gitBranch: null,
    model: textIn(run, 'model'),
    models: Array.isArray(models) ? models.filter((model): model is string => typeof model === 'string') : [],
    agentName: null,
    agentVersion: textIn(run, 'version'),
    created: started, updated: lastTime(evidence, started), archived: null, localTime: true,
    // The history was cut or replaced, and the run is not in it any more.
    ignored: run === undefined,
    todos: [], checkpoints: checkpointsOf(evidence), pullRequests: [], worktree: null, permissions: [], revert: null, alsoIn: [], tokens: null,
    edges: run ? edgesOf(session, run) : [],
    notices: run ? noticesOf(run, isUsual) : [],
    own: { file: path, usual: isUsual, ...(run?.['forkedFrom'] ? { forkedFrom: run['forkedFrom'] } : {}) },
  };
}

function lastTime(evidence: Spine['evidence'], started: number | null): number | null {
  return evidence.reduce((last, { slot, data }) => {
    const time = /^(?:typed|answered):/.test(slot) ? data['time'] : null;
    return typeof time === 'number' && (last === null || time > last) ? time : last;
  }, started);
}

/** A commit can be gone back to: it is the state before the prompt that follows, or, of the person's own changes, before the edits. */
function checkpointsOf(evidence: Spine['evidence']): SessionFacts['checkpoints'] {
  const undone = new Set(evidence.filter(({ slot }) => slot.startsWith('undo:')).map(({ data }) => textIn(data, 'hash')));
  return evidence
    .filter(({ slot }) => slot.startsWith('commit:'))
    .sort((a, b) => Number(a.slot.slice(7)) - Number(b.slot.slice(7)))
    .map(({ data }) => {
      const hash = textIn(data, 'hash') ?? '';
      const remarks = [...(data['own'] === true ? ['changes of the person, committed by Aider'] : []), ...(undone.has(hash) ? ['taken back with /undo'] : [])];
      return {
        id: hash, message: textIn(data, 'before') as SessionFacts['checkpoints'][number]['message'], time: null, files: [],
        note: `Commit ${hash}: ${textIn(data, 'subject') ?? ''}${remarks.length > 0 ? ` (${remarks.join('; ')})` : ''}`,
      };
    });
}

/** `--restore-chat-history` makes the whole file before a run its conversation. */
function edgesOf(session: NativeId, run: JsonObject): EdgeFact[] {
  const { previous } = run;
  const parent = typeof previous === 'object' && previous !== null && !Array.isArray(previous) ? textIn(previous, 'native') : null;
  if (run['restored'] !== true || parent === null) return [];
  const evidence = 'the run says “Restored previous conversation history.”: all runs before it in this file became its conversation';
  return [{ child: session, parent: parent as NativeId, kind: 'resume', certainty: 'recorded', evidence, after: null, callId: null, inherited: [] }];
}

const restored =
  'Aider restored the whole history file into this run, read by line beginnings alone: program messages, files in the chat and borders of runs were lost, ' +
  'and what had been cleared or undone came back.';

function noticesOf(run: JsonObject, isUsual: boolean): SessionFacts['notices'] {
  const notices: SessionFacts['notices'] = [];
  const tell = (kind: SessionFacts['notices'][number]['kind'], text: string) => notices.push({ kind, text });
  const foreign = typeof run['foreign'] === 'number' ? run['foreign'] : 0;
  const started = textIn(run, 'started');
  if (started === null) tell('gap', 'The history does not begin with a run: what stands before the first header has no start time.');
  else if (wallTime(started) === null) tell('time', `The run's header has no real time: ${started}.`);
  const { previous } = run;
  const before = typeof previous === 'object' && previous !== null && !Array.isArray(previous) ? textIn(previous, 'started') : null;
  if (started !== null && before !== null && started < before) tell('time', `This run stands after one that began later (${before}): the clock went back, as in the hour that comes twice in autumn.`);
  if (foreign > 0) tell('other', `${foreign === 1 ? 'one byte is' : `${foreign} bytes are`} not UTF-8, shown as \ufffd`);
  if (typeof run['torn'] === 'number') tell('gap', `The history ends inside a line, ${run['torn']} bytes after its beginning: cut, or still being written.`);
  if (run['trimmed'] === true) tell('other', 'Reconstructed: the blanks that Aider writes at its line ends are missing in this run; prompts and program messages are told by how their lines begin.');
  if (run['rounded'] === true) tell('other', 'Aider rounds token figures from 1,000 up to two digits: the sums are as exact as that.');
  if (run['restored'] === true) tell('other', restored);
  if (!isUsual && textIn(run, 'gitFolder') === null) tell('other', 'The history has a place of its own; where Aider ran is not recorded, so the folder of the file stands for it.');
  return notices;
}
