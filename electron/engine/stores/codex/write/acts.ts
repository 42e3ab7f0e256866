import { asFilledText } from '../../foreign/fields';
import { count, listed } from '../../foreign/said';
import type { Draft, FileStep, ProgramStep, SessionAct, SessionToWrite, WriteRefusal } from '../../store';
import { readEvidence, rowOf } from '../evidence';
import { listRollouts } from '../listing';
import { rolloutName } from '../names';
import { asJsonCall, type CodexCall, shownCall } from './call';
import { leaningOn } from './leaning';
import { onDisk } from './on-disk';
import { codexProgram, noProgram } from './program';

/** Renaming, archiving, and taking a thread out of the store. */
export function planAct(session: SessionToWrite, act: SessionAct): Draft | WriteRefusal {
  if (!session.isLive) return { refused: 'Codex has no file of this thread any more.' };
  switch (act.act) {
    case 'rename':
      return rename(session, act.title);
    case 'archive':
    case 'unarchive':
      return archive(session, act.act);
    case 'trash':
      return trash(session);
  }
}

const startsCodex = 'Codex may bring its own tables to its release’s form when it is started.';

function program(call: CodexCall, does: string, remains: string[], undo: { call: CodexCall; does: string } | null): ProgramStep {
  const inverse = undo && { call: asJsonCall(undo.call), shown: shownCall(undo.call), does: undo.does };
  return { kind: 'program', program: 'codex', call: asJsonCall(call), shown: shownCall(call), does, remains: [...remains, startsCodex], inverse };
}

/** The name a person gave, as far as Codex keeps it. */
function nameOf(session: SessionToWrite): string | null {
  const evidence = readEvidence(session.spine.evidence);
  return asFilledText(rowOf(evidence.thread)?.['name']) ?? evidence.thread?.name ?? evidence.rollouts.map(({ name }) => name).findLast((name) => name !== null) ?? null;
}

function rename({ native, facts, ...session }: SessionToWrite, title: string): Draft | WriteRefusal {
  if (codexProgram() === null) return { refused: noProgram };
  if (facts.archived !== null) return { refused: 'Codex renames no archived thread: it has to be brought back first.' };
  const name = title.trim();
  if (name === '') return { refused: 'Codex takes no empty name.' };
  const old = nameOf({ native, facts, ...session });
  const undo: { call: CodexCall; does: string } = { call: { do: 'name', thread: native, name: old ?? facts.title ?? native }, does: old === null ? 'Codex cannot take a name away: the thread is named after its first message, as it was shown before.' : `Codex names it “${old}” again.` };
  return {
    way: 'By Codex’s own program, which keeps names in its table.', steps: [program({ do: 'name', thread: native, name }, 'Codex gives the thread this name.', ['Both names stay in Codex’s list of names.'], undo)], limits: [], session: native,
  };
}

function archive({ native, facts }: SessionToWrite, act: 'archive' | 'unarchive'): Draft | WriteRefusal {
  const isArchived = facts.archived !== null;
  if (isArchived === (act === 'archive')) return { refused: isArchived ? 'The thread is archived already.' : 'The thread is not archived.' };
  if (codexProgram() === null) return { refused: `${noProgram} Its files must not be moved by hand: Codex’s table would lose them.` };
  const other = act === 'archive' ? 'unarchive' : 'archive';
  const does = { archive: 'Codex moves the thread’s files among the archived ones. It has to be brought back before it can go on.', unarchive: 'Codex moves the thread’s files back.' };
  return { way: 'By Codex’s own program, which moves the files and its row together.', steps: [program({ do: act, thread: native }, does[act], [], { call: { do: other, thread: native }, does: does[other] })], limits: [], session: native };
}

/** Its files go; Codex drops a thread without a file from its lists, and shows it again when the file is back. */
function trash(session: SessionToWrite): Draft | WriteRefusal {
  const { native, location } = session;
  const leaning = leaningOn(session);
  if (leaning.length > 0) {
    const [are, they] = leaning.length === 1 ? ['is', 'It'] : ['are', 'They'];
    return { refused: `${count(leaning.length, 'thread')} that ${are} a fork of it could not be opened without it: ${listed(leaning)}. ${they} would have to go first.` };
  }
  const files = [...listRollouts(location.folder).files.values()].filter(({ key }) => rolloutName(key)?.thread === native);
  const spawned = Object.keys((session.facts.own?.['spawned'] as Record<string, string> | undefined) ?? {});
  const steps = files.map(({ path }): FileStep => ({ kind: 'file', path, within: location.folder, before: onDisk(path).state, after: null, why: 'A rollout of the thread.' }));
  if (steps.length === 0) return { refused: 'The thread has no file.' };
  return {
    way: 'Its files are taken out of Codex’s folder; Retrace keeps them, and undo puts them back.', steps, session: native,
    limits: [
      ...(spawned.length > 0 ? [`${count(spawned.length, 'thread')} that it started ${spawned.length === 1 ? 'stays' : 'stay'}: ${listed(spawned)}.`] : []),
      'Its row in Codex’s table, its names and its prompts in history.jsonl stay; Codex lists no thread without a file.',
    ],
  };
}
