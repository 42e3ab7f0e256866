import { z } from 'zod';
import { agents } from './model/words';
import type { Agent, ContextState, Damage, PartId, PartKind, PartView, Role, SessionDetail, SessionId, SessionSummary } from './model';
import type { ChangeSum, FileChanges, FileDiff } from './model/changes';
import type { Comparison, ComparisonRefusal, SessionBranches } from './model/compare';
import type { CompactionOutcome, CompactionProgress, ExclusionOutcome, ForgetOutcome, ForgetPlan, InclusionOutcome, KeepRule, LibraryKeep } from './model/keep';
import type { LineWriter } from './model/line-writer';
import type { ContextAnswer, ContextHistory, ContextLosses, ContextRefusal, ContextStates } from './model/context';
import type { Examination } from './model/examination';
import type { FileBytes } from './model/file-bytes';
import type { Family, FamilyHits } from './model/family';
import type { MemoryProject, MemoryText, ProjectMemory, SessionMemory } from './model/memory';
import { exportFormats, type ExportDone, type ExportLook, type ExportProgress, type ExportRefusal } from './model/share';
import type { RevertFileView, RevertPoints, RevertPreview, RevertRefusal } from './model/revert';
import type { UnchangedLines } from './model/unchanged-lines';
import type { ShareServers, UploadAnswer } from './model/import';
import type { SessionWork, WorkList, WorkPlan } from './model/work';
import { type ApplyOutcome, type JournalEntry, type JournalPage, journalStates, type PlanFileView, planKinds, type PlanProgress, type PlanRefusal, type PlanSteps, type PlanView, type PlanWays } from './model/plan';
import { revertTakes } from './model/revert';

/**
 * Everything a page or the command line can ask of the engine: name → parameters (checked at run time) and answer (typed).
 * Values are plain JSON, since a link may be a MessagePort, a WebSocket or a socket between processes.
 */

const session = z.string().min(3).max(4_096);
const part = z.string().min(3).max(8_192);
/** Windows are bounded so that no call can make the engine build a whole session at once. */
const windowCount = z.number().int().min(1).max(500);
const position = z.number().int().min(0);
const branchId = z.string().min(1).max(20);
const comparedSide = z.object({ session, branch: branchId.optional() });
const planName = z.string().min(1).max(100);
const contextPlace = { branch: branchId.optional(), at: part.optional() };

export const sessionFilter = z.object({
  agents: z.array(z.enum(agents)).optional(),
  /** Project keys, as in `Facets.projects`. */
  projects: z.array(z.string().max(4_096)).optional(),
  archived: z.enum(['hide', 'include', 'only']).optional(),
  /** ISO 8601; compared with the last update. */
  since: z.string().max(40).optional(),
  until: z.string().max(40).optional(),
  /** Words that must all occur in the title, any case. */
  title: z.string().max(500).optional(),
});
export type SessionFilter = z.infer<typeof sessionFilter>;

/** See `ExclusionTarget`. */
export const exclusionTarget = z.object({ kind: z.enum(['project', 'agent', 'store']), key: z.string().max(4_096) });
/** See `ForgetTarget`. */
export const forgetTarget = z.union([
  z.object({ kind: z.literal('sessions'), sessions: z.array(session).min(1).max(1_000) }),
  z.object({ kind: z.literal('due') }),
  exclusionTarget,
]);

export const librarySort = z.enum(['updated', 'created']);
export type LibrarySort = z.infer<typeof librarySort>;
export const libraryGroup = z.enum(['project', 'day', 'agent']);
export type LibraryGroup = z.infer<typeof libraryGroup>;

/** See `DiffScope`. */
export const diffScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('part'), part }),
  z.object({ kind: z.literal('turn'), turn: z.number().int().min(1).max(10_000_000) }),
  z.object({ kind: z.literal('branch'), branch: z.string().min(1).max(100) }),
  z.object({ kind: z.literal('stretch'), branch: z.string().min(1).max(100), from: part }),
  z.object({ kind: z.literal('session') }),
  z.object({ kind: z.literal('against'), session }),
]);

/** See `ExportScope`. */
export const exportScope = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('whole') }),
  z.object({ kind: z.literal('branch'), branch: branchId }),
  z.object({ kind: z.literal('turns'), branch: branchId.nullable(), from: z.number().int().min(1).max(10_000_000), to: z.number().int().min(1).max(10_000_000) }),
]);

const exported = {
  session,
  format: z.enum(exportFormats),
  scope: exportScope,
  toolOutput: z.boolean(),
  reasoning: z.boolean(),
  subagents: z.boolean(),
  /** False: nothing is masked. */
  redact: z.boolean(),
  /** Classes and ids of findings that are to stand. */
  keep: z.array(z.string().max(100)).max(10_000),
  /** Words to mask beside those of the settings. */
  words: z.array(z.string().max(500)).max(200),
  /** Names this run in `share.progress`. */
  run: z.string().max(100),
};

const libraryView = {
  filter: sessionFilter,
  sort: librarySort,
  group: libraryGroup,
  /** Rows whose open state differs from the default (groups open, sessions closed). */
  toggled: z.array(z.string().max(4_096)).max(20_000),
};

export const params = {
  'engine.info': z.object({}),
  /** Brings the library up to date; resolves when done or cancelled. A second call joins the running one. */
  'index.run': z.object({}),
  'index.cancel': z.object({}),
  'index.status': z.object({}),
  'library.facets': z.object({}),
  'library.rows': z.object({ ...libraryView, from: position, count: windowCount }),
  /** Where a session stands in the tree, opening what hides it. */
  'library.reveal': z.object({ ...libraryView, session }),
  'session.list': z.object({ filter: sessionFilter, sort: librarySort, from: position, count: z.number().int().min(1).max(5_000) }),
  /** `branches: 'messages'` names every message of every branch: for the command line, not for a page. */
  'session.get': z.object({ session, branches: z.enum(['heads', 'messages']).optional() }),
  /** Looks at the recorded folder of one session, on disk: to be asked when a person opens it, never for a list. */
  'folder.state': z.object({ session }),
  /** `messages`: also which message each part belongs to, for who puts a session together again. */
  'session.outline': z.object({ session, messages: z.boolean().optional() }),
  /** `whole` leaves texts unclipped: for exports and the command line, not for a page. */
  'session.parts': z.object({ session, from: position, count: z.number().int().min(1).max(200), whole: z.boolean().optional() }),
  /** What each branch did since it departed, and the places where the tree divides. */
  'session.branches': z.object({ session }),
  /** Two sessions or branches, side by side from where they part. Reads many bodies: for a person who asks, not for a list. */
  compare: z.object({ a: comparedSide, b: comparedSide }),
  'lineage.family': z.object({ session }),
  'lineage.hits': z.object({ session, query: z.string().max(2_000) }),
  'part.locate': z.object({ part }),
  'part.text': z.object({ part, side: z.enum(['text', 'input', 'output', 'raw']), from: position, count: z.number().int().min(1).max(1_000_000) }),
  'part.image': z.object({ part, image: z.number().int().min(0).max(1_000) }),
  /** What the agent would send next. `branch` as in `Branch.id`; `at`: a point before that message (a part's id names its message). `whole` leaves texts unclipped; `words` adds the first words of parts without a title. */
  'context.get': z.object({ session, ...contextPlace, from: position, count: windowCount, whole: z.boolean().optional(), words: z.boolean().optional() }),
  'context.states': z.object({ session, ...contextPlace }),
  'context.history': z.object({ session, branch: branchId.optional() }),
  /** What the summary of a compaction does not name of what it stands for; `part` is the compaction's. */
  'context.losses': z.object({ session, part }),
  /** Files that a part, a turn, a branch or the session changed, without their lines; `whole` counts the lines of all before it answers. May look at the project's folder: for a session a person opened. */
  'diff.files': z.object({ session, scope: diffScope, from: position, count: windowCount, whole: z.boolean().optional() }),
  /** One of these files (`path` as in the list; without it the first) with its lines; `window` gives characters of a patch that is too large to be sent whole. */
  'diff.file': z.object({ session, scope: diffScope, path: z.string().max(8_192).optional(), window: z.object({ from: position, count: z.number().int().min(1).max(1_000_000) }).optional() }),
  /** Lines the file had before the change, from a line on (from 1): what a patch leaves out between its hunks. Fewer come where they are long. */
  'diff.lines': z.object({ session, scope: diffScope, path: z.string().max(8_192), from: z.number().int().min(1).max(1_000_000_000), count: z.number().int().min(1).max(5_000) }),
  /** A file that is no text, as it was at one end of the change: its size, its hash, and the bytes of a picture up to a limit. */
  'diff.bytes': z.object({ session, scope: diffScope, path: z.string().max(8_192), side: z.enum(['before', 'after']) }),
  /** Who last wrote a line of this difference (`new`: as it is after it), or took it away (`old`: as it was before). */
  'diff.writer': z.object({ session, scope: diffScope, path: z.string().max(8_192), side: z.enum(['old', 'new']), line: z.number().int().min(1).max(1_000_000_000) }),
  'diff.turn': z.object({ session, part }),
  /** How many files a scope changed, and lines as far as comparing them is bounded. */
  'diff.sum': z.object({ session, scope: diffScope }),
  /** Prompts one can go back to. */
  'revert.points': z.object({ session, from: position, count: windowCount }),
  /** What going back to before a message (or the message of a part) would do. Reads the files of the project that the session changed: for a session a person opened. Nothing is written. */
  'revert.preview': z.object({ session, before: part, from: position, count: windowCount }),
  /** One of its files (`path` as in the preview) with its lines. */
  'revert.file': z.object({ session, before: part, path: z.string().max(8_192) }),
  /** One of its files as bytes: before the point, as the session left it, or on the disk now. */
  'revert.bytes': z.object({ session, before: part, path: z.string().max(8_192), side: z.enum(['before', 'left', 'now']) }),
  /** What was read of each store and what was not. Counts every record of the library: for a person who asks, not for a list. */
  doctor: z.object({}),
  /** Projects with memory that outlives sessions, or with recorded instructions. */
  'memory.list': z.object({}),
  'memory.of': z.object({ project: z.string().max(4_096) }),
  /** Lines of a memory file, counted from 1, with who wrote them. */
  'memory.file': z.object({ file: z.string().max(8_192), from: z.number().int().min(1), count: windowCount }),
  'memory.session': z.object({ session }),
  /** Plans and works of overlays over all projects, newest first. */
  'work.list': z.object({ project: z.string().max(4_096).optional(), from: position, count: z.number().int().min(1).max(200) }),
  /** One of them opened: its boxes and notepads. */
  'work.plan': z.object({ item: z.string().min(1).max(100) }),
  /** What overlays say of one session; null where none names it. */
  'work.of': z.object({ session }),
  /** What could be planned at a point (before a message; left out: as it is now): states of a menu. */
  'plan.ways': z.object({ session, ...contextPlace }),
  /** Draws a guarded write; nothing is written until `plan.apply`. `way` as in `PlanView.ways`; `title` null: the agent's own rule. */
  'plan.fork': z.object({
    session, ...contextPlace, way: z.string().max(100).optional(), title: z.string().max(2_000).nullable().optional(), toolOutput: z.boolean().optional(),
    worktree: z.object({ path: z.string().max(4_096).optional(), branch: z.string().max(500).optional() }).optional(),
  }),
  'plan.revert': z.object({
    session, before: part, scope: z.enum(['conversation', 'files', 'both']), way: z.string().max(100).optional(),
    /** What is left of files that are conflicts, by their paths as the plan names them. */
    takes: z.array(z.object({ path: z.string().max(8_192), take: z.enum(revertTakes) })).max(10_000).default([]),
  }),
  /** Looks at a file (whole path) or a link that is to be brought in. `salvage`: what is whole of a file that was cut. `host`: a share server that is not known, and that the person agreed to speak to. `run` names it in `plan.progress`. A file that was sent up is `upload:` and its name. */
  'plan.import': z.object({ from: z.string().min(1).max(8_192), salvage: z.boolean().optional(), host: z.string().max(300).optional(), run: z.string().max(100).optional() }),
  /** Writes a session that its agent deleted back into the agent's store. */
  'plan.restore': z.object({ session }),
  'plan.act': z.object({ session, act: z.enum(['rename', 'archive', 'unarchive', 'trash']), title: z.string().max(2_000).optional() }),
  /** Draws what takes an entry of the journal back. */
  'plan.undo': z.object({ entry: planName }),
  /** The same for one that was interrupted: on to its end, or back. */
  'plan.settle': z.object({ entry: planName, go: z.enum(['on', 'back']) }),
  /** Steps and files of a plan, or of an entry of the journal. `large`: lines beyond the usual limit too. */
  'plan.steps': z.object({ plan: planName, from: position, count: windowCount }),
  'plan.file': z.object({ plan: planName, index: position, large: z.boolean().optional() }),
  /** Writes. A call that is broken off is not asked again: the journal knows what became of it. */
  'plan.apply': z.object({ plan: planName }),
  /** Until the first change. */
  'plan.cancel': z.object({ plan: planName }),
  'plan.discard': z.object({ plan: planName }),
  /** Guarded writes that were applied, newest first; of these states and kinds only. */
  'journal.list': z.object({ from: position, count: windowCount, states: z.array(z.enum(journalStates)).min(1).max(100).optional(), kinds: z.array(z.enum(planKinds)).min(1).max(100).optional() }),
  /** By its name, or by a beginning that no other has. */
  'journal.entry': z.object({ id: planName }),
  /** What the library keeps and by what rule, with its size. Counts every part of it: for a person who asks. */
  'library.keep': z.object({}),
  /** Leaves something out from now on. Nothing the library has of it goes. */
  'library.exclude': z.object({ target: exclusionTarget, dryRun: z.boolean() }),
  'library.include': z.object({ target: exclusionTarget, dryRun: z.boolean() }),
  /** How long sessions are kept whose source is gone; null: for ever. Drops nothing. */
  'library.rule': z.object({ days: z.number().int().min(1).max(100_000).nullable(), dryRun: z.boolean() }),
  /** What forgetting would take out of the library. Stores are not touched by either. */
  'library.planForget': z.object({ target: forgetTarget }),
  /** Forgets what a plan has shown; `token` is the plan's. */
  'library.forget': z.object({ target: forgetTarget, token: z.string().max(100) }),
  'library.compact': z.object({}),
  'library.compactCancel': z.object({}),
  'search.query': z.object({ query: z.string().max(2_000), from: position, count: z.number().int().min(1).max(200), session: session.optional() }),
  /** What an export would be: what was found in it, and how it begins. Reads all of the session: for a person who asks. Nothing is written. */
  'share.look': z.object(exported),
  /** Writes an export to a file, or to one that the page's server hands out once. */
  'share.export': z.object({ ...exported, target: z.discriminatedUnion('kind', [z.object({ kind: z.literal('file'), path: z.string().max(8_192), overwrite: z.boolean() }), z.object({ kind: z.literal('download') })]) }),
  /** Sends a piece of a file up, for `plan.import`: the first without `upload`, each where the one before ended. */
  'import.upload': z.object({ upload: z.string().max(100).nullable(), name: z.string().max(4_096), size: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), at: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER), data: z.base64().max(1_500_000) }),
  /** A file that was sent up is not wanted any more. */
  'import.discard': z.object({ upload: z.string().max(100) }),
  /** Bases of share servers of the person's own; with `servers` they are set. */
  'share.servers': z.object({ servers: z.array(z.string().max(4_096)).max(100).optional() }),
  /** The words that are masked in every export; with `words` they are set. */
  'share.words': z.object({ words: z.array(z.string().max(500)).max(200).optional() }),
} as const;

export type Method = keyof typeof params;
export type Params<M extends Method> = z.input<(typeof params)[M]>;

export interface StoreStatus {
  id: string;
  agent: Agent;
  folder: string;
  /** Why this place was looked at: the agent's default, the environment, or a folder the person added. */
  origin: 'default' | 'environment' | 'added' | 'import';
  found: boolean;
  sessions: number;
  /** Says in one sentence what is wrong with the store as a whole (busy, not readable, damaged); null when nothing is. */
  problem: string | null;
  /** The first places that could not be read; `damaged` counts all of them. */
  damage: Damage[];
  damaged: number;
}

export interface EngineInfo {
  version: string;
  home: string;
  library: string;
  node: string;
  sqlite: string;
  /** The library's own running number; grows with every change a list could show. */
  revision: number;
  stores: StoreStatus[];
}

export interface IndexProgress {
  running: boolean;
  /** `survey`: finding sessions. `index`: reading them. `idle`: up to date, or stopped. */
  phase: 'idle' | 'survey' | 'index' | 'lineage';
  sourcesDone: number;
  sourcesTotal: number;
  bytesDone: number;
  bytesTotal: number;
  /** Set when the last pass was cancelled before its end. */
  cancelled: boolean;
  error: string | null;
}

/** What one pass did, in counted work. */
export interface IndexOutcome {
  cancelled: boolean;
  sourcesSeen: number;
  sourcesChanged: number;
  bytesRead: number;
  recordsProjected: number;
  partsWritten: number;
  sessionsSettled: number;
}

export interface Facets {
  agents: { agent: Agent; sessions: number }[];
  /** `apart`: what tells the project from others of the same name; null where it has the name alone. */
  projects: { key: string; name: string; folder: string | null; apart: string | null; sessions: number }[];
  archived: number;
  damagedSessions: number;
}

export type LibraryRow =
  /** `apart`: as in `Facets`. `role`: the agent that works in a session, where its store tells it and it is none of the program's own. */
  | { type: 'group'; id: string; name: string; detail: string | null; apart: string | null; open: boolean; sessions: number }
  | { type: 'session'; id: SessionId; depth: number; open: boolean; children: number; summary: SessionSummary; role: string | null; parentIndex: number };

export interface LibraryRows {
  revision: number;
  total: number;
  /** Sessions that match, at whatever depth. */
  sessions: number;
  from: number;
  rows: LibraryRow[];
}

export interface RevealAnswer {
  /** Null when the session is unknown or the filter hides it. */
  index: number | null;
  toggled: string[];
}

/** One character a part, in timeline order, so that a session of 100,000 parts is outlined in a few hundred kilobytes. */
export interface Outline {
  revision: number;
  total: number;
  /** See `kindCodes`. */
  kinds: string;
  /** See `stateCodes`. */
  states: string;
  /** `1`: it is in what the model would get next. */
  seen: string;
  /** `1`: the agent put it in, not the person or the model. */
  injected: string;
  /** Size class: code unit minus 48 is the rounded base-2 logarithm of the part's text length in characters. */
  sizes: string;
  /** Indexes of the parts that have a diagnosis, rising. */
  diagnosed: number[];
  /** When asked for: the message of each part, numbered from 0 by first appearance. */
  messages?: number[];
}

export interface PartsAnswer {
  revision: number;
  from: number;
  parts: PartView[];
}

export interface TextWindow {
  text: string;
  from: number;
  total: number;
}

export interface SearchHit {
  session: SessionId;
  sessionTitle: string | null;
  agent: Agent;
  project: string;
  part: PartId;
  message: string;
  index: number;
  kind: PartKind;
  role: Role;
  state: ContextState;
  /** In what the model would get next. */
  seen: boolean;
  tool: string | null;
  /** In a message that came with a fork or a copy: the session it was taken from has it too. */
  inherited: boolean;
  /** Plain text; matches stand between U+0001 and U+0002. */
  snippet: string;
  score: number;
  time: string | null;
}

export interface SearchAnswer {
  query: string;
  total: number;
  /** How many of `total` stand in messages that came with a fork or a copy. */
  inherited: number;
  /** True when there are more than `total` says: common words are counted to a limit. */
  capped: boolean;
  /** Filters that were understood, as shown to the person, and those that were not. */
  filters: { key: string; value: string; understood: boolean }[];
  hits: SearchHit[];
  /** Index not complete yet: hits may be missing. */
  indexing: boolean;
}

/** Whether the folder a session was recorded in is there now. */
export interface FolderState {
  /** Where it was looked for, after `--map`; null when none is recorded. */
  folder: string | null;
  state: 'present' | 'missing' | 'not looked at';
  /** One sentence, where the state does not say it all. */
  reason: string | null;
  /** Where the store knows the project of a folder that moved. */
  likely: { folder: string; because: string } | null;
}

export interface Answers {
  'engine.info': EngineInfo;
  'index.run': IndexOutcome;
  'index.cancel': null;
  'index.status': IndexProgress;
  'library.facets': Facets;
  'library.rows': LibraryRows;
  'library.reveal': RevealAnswer;
  'session.list': { total: number; sessions: SessionSummary[] };
  'session.get': SessionDetail | null;
  'folder.state': FolderState | null;
  'session.outline': Outline | null;
  'session.parts': PartsAnswer | null;
  'session.branches': SessionBranches | null;
  compare: Comparison | ComparisonRefusal;
  'lineage.family': Family | null;
  'lineage.hits': FamilyHits;
  'part.locate': { session: SessionId; index: number; part: PartId } | null;
  'part.text': TextWindow | null;
  'part.image': { mime: string; data: string } | null;
  'context.get': ContextAnswer | ContextRefusal | null;
  'context.states': ContextStates | ContextRefusal | null;
  'context.history': ContextHistory | ContextRefusal | null;
  'context.losses': ContextLosses | ContextRefusal | null;
  'diff.files': FileChanges | null;
  'diff.sum': ChangeSum | null;
  'diff.file': FileDiff | null;
  'diff.lines': UnchangedLines | null;
  'diff.bytes': FileBytes | null;
  'diff.writer': LineWriter | null;
  'diff.turn': { turn: number; turns: number } | null;
  'revert.points': RevertPoints | null;
  'revert.preview': RevertPreview | RevertRefusal | null;
  'revert.file': RevertFileView | null;
  'revert.bytes': FileBytes | null;
  doctor: Examination;
  'memory.list': MemoryProject[];
  'memory.of': ProjectMemory | null;
  'memory.file': MemoryText | null;
  'memory.session': SessionMemory | null;
  'work.list': WorkList;
  'work.plan': WorkPlan | null;
  'work.of': SessionWork | null;
  'plan.ways': PlanWays | PlanRefusal | null;
  'plan.fork': PlanView | PlanRefusal | null;
  'plan.revert': PlanView | PlanRefusal | null;
  'plan.import': PlanView | PlanRefusal | null;
  'plan.restore': PlanView | PlanRefusal | null;
  'plan.act': PlanView | PlanRefusal | null;
  'plan.undo': PlanView | PlanRefusal | null;
  'plan.settle': PlanView | PlanRefusal | null;
  'plan.steps': PlanSteps | null;
  'plan.file': PlanFileView | null;
  'plan.apply': ApplyOutcome | null;
  'plan.cancel': null;
  'plan.discard': null;
  'journal.list': JournalPage;
  'journal.entry': JournalEntry | null;
  'library.keep': LibraryKeep;
  'library.exclude': ExclusionOutcome | null;
  'library.include': InclusionOutcome;
  'library.rule': KeepRule;
  'library.planForget': ForgetPlan;
  'library.forget': ForgetOutcome;
  'library.compact': CompactionOutcome;
  'library.compactCancel': null;
  'search.query': SearchAnswer;
  'share.look': ExportLook | ExportRefusal;
  'share.export': ExportDone | ExportRefusal;
  'import.upload': UploadAnswer;
  'import.discard': null;
  'share.servers': ShareServers;
  'share.words': string[];
}

export interface EngineEvents {
  'index.progress': IndexProgress;
  'share.progress': ExportProgress;
  /** Sessions that changed; null when too many to name. */
  'library.changed': { revision: number; sessions: SessionId[] | null };
  'plan.progress': PlanProgress;
  /** An entry was added or changed. */
  'journal.changed': Record<string, never>;
  /** How far a compaction is; null at its end. */
  'library.compaction': { progress: CompactionProgress | null };
}

/** Handed to every engine method. */
export interface Call {
  signal: AbortSignal;
}

/** Parameters as the engine gets them, after the schemas have run. */
export type Checked<M extends Method> = z.output<(typeof params)[M]>;
export type EngineMethods = { [M in Method]: (params: Checked<M>, call: Call) => Answers[M] | Promise<Answers[M]> };

export const kindCodes: Record<PartKind, string> = {
  text: 't', reasoning: 'r', tool: 'x', file: 'f', patch: 'p', compaction: 'c', summary: 's', command: 'm', notice: 'n', step: 'e',
};
/** A text part of the person opens a turn; it has a code of its own so that the outline shows turns. */
export const promptCode = 'u';
/** A tool that failed, was denied or interrupted, so that the outline shows errors. */
export const failedToolCode = 'X';

export const stateCodes: Record<ContextState, string> = {
  'off-branch': 'o', reverted: 'r', pending: 'p', compacted: 'c', cleared: 'e', summary: 's', hidden: 'h', live: 'l',
};

/** Of a part that comes after the point a context is told for. */
export const laterCode = '-';

export type { PartId, SessionId };
