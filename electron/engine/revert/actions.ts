import { type Agent, assertNever, type RevertAction, type RevertFile, type RevertPoint } from '@shared/model';

/** What is known when one asks which ways back there are. */
export interface ActionFacts {
  agent: Agent;
  point: RevertPoint;
  /** Messages and turns that would be taken back. */
  messages: number;
  turns: number;
  /** The agent kept a state of files that belongs to the point. */
  hasCheckpoint: boolean;
  /** A compaction stands between the point and now. */
  compacted: boolean;
  /** The message an OpenCode revert stands at that is not final yet. */
  isPending: boolean;
  /** Commits of Aider after the point. */
  commits: number;
  /** All files of the preview. */
  files: readonly RevertFile[];
}

const changes = new Set<RevertFile['state']>(['conflict', 'restorable', 'deleted', 'recreated']);

/** The ways back that an agent has, and Retrace's own, each with what it would do. Pure. */
export function actionsFor(facts: ActionFacts): RevertAction[] {
  switch (facts.agent) {
    case 'claude-code':
      return [...claudeActions(facts), byFile(facts)];
    case 'opencode':
      return [openCodeAction(facts), byFile(facts)];
    case 'codex':
      return [codexAction(facts), byFile(facts)];
    case 'aider':
      return [...aiderActions(facts), byFile(facts)];
    case 'retrace':
      return [byFile(facts)];
    default:
      return assertNever(facts.agent, 'agent');
  }
}

const kept = 'The conversation stays as it is.';
const filesStay = 'No file is touched.';

const many = (count: number, one: string) => (count === 1 ? `1 ${one}` : `${count} ${one}s`);

/** Files that the agent's own way takes back, and those that would change and that it leaves. */
function reachOf(files: readonly RevertFile[]): { restores: number; leaves: number; overwrites: number; unseen: number } {
  const changed = files.filter(({ state }) => changes.has(state) || state === 'left alone');
  const restored = changed.filter(({ agent }) => agent.restores);
  return {
    restores: restored.length,
    leaves: files.filter(({ state, agent }) => (changes.has(state) || state === 'cannot' || state === 'memory') && !agent.restores).length,
    // The agent has what they held before, and Retrace does not see what they hold now.
    unseen: files.filter(({ state, agent }) => state === 'cannot' && agent.restores).length,
    overwrites: restored.filter(({ state }) => state === 'conflict' || state === 'left alone').length,
  };
}

function saidOf(agent: string, { restores, leaves, overwrites, unseen }: ReturnType<typeof reachOf>): string {
  const dark = unseen > 0 ? ` Of ${many(unseen, 'file')} that it can take back it is not known what would change: ${unseen === 1 ? 'it was' : 'they were'} not looked at.` : '';
  if (restores === 0 && unseen > 0) return dark.trimStart();
  if (restores === 0) return `${agent} takes no file back${leaves > 0 ? `; ${many(leaves, 'file')} stay${leaves === 1 ? 's' : ''} as changed` : ''}.`;
  const lost = overwrites > 0 ? ` In ${overwrites === 1 ? '1 of them' : `${overwrites} of them`} it writes over what others changed.` : '';
  return `${agent} takes ${many(restores, 'file')} back${leaves > 0 ? ` and leaves ${leaves}` : ''}.${lost}${dark}`;
}

function takenBack({ messages, turns, point }: ActionFacts): string {
  if (point.on !== 'current branch') return 'Nothing of the conversation would be taken back: it went on without this message.';
  return `${many(turns, 'turn')} with ${many(messages, 'message')} would be taken back.`;
}

function claudeActions(facts: ActionFacts): RevertAction[] {
  const { point, hasCheckpoint, compacted, files } = facts;
  const off = point.on === 'other branch' ? 'The message is on another branch: Claude Code goes back only to prompts of the current one.' : null;
  const gone = compacted ? 'A compaction stands between: Claude Code does not find prompts before it any more.' : null;
  const conversation = off ?? gone;
  const code = conversation ?? (hasCheckpoint ? null : 'There is no checkpoint before this prompt. Claude Code makes them in interactive sessions, for files its main agent edits.');
  const reach = reachOf(files);
  const goesBack = point.on !== 'current branch' ? takenBack(facts) : `${takenBack(facts)} They stay in the transcript as another branch once the next prompt is sent; until then nothing is written.`;
  const back = saidOf('Claude Code', reach);
  const action = (kind: RevertAction['kind'], refused: string | null, said: string, saidOfFiles: string, touchesFiles: boolean): RevertAction => ({
    kind, by: 'agent', available: refused === null, refused, conversation: said, files: saidOfFiles, restores: touchesFiles ? reach.restores : 0, leaves: touchesFiles ? reach.leaves : files.filter(({ state }) => state !== 'unchanged' && state !== 'left alone').length,
  });
  return [
    action('code and conversation', code, goesBack, back, true),
    action('conversation', conversation, goesBack, filesStay, false),
    action('code', code, kept, back, true),
    action('summarise from here', conversation, `The model writes a summary that stands for ${many(facts.turns, 'turn')} from here on; what came before stays.`, filesStay, false),
  ];
}

function openCodeAction({ point, isPending, files, ...facts }: ActionFacts): RevertAction {
  const reach = reachOf(files);
  const refused = point.on === 'taken back' ? 'This message is taken back already, by the pending revert.' : null;
  const moves = isPending ? ' The pending revert is moved here; its first snapshot stays the one that undoing it brings back.' : '';
  return {
    kind: 'conversation and files', by: 'agent', available: refused === null, refused,
    conversation: point.on === 'taken back' ? takenBack({ point, isPending, files, ...facts }) : `${takenBack({ point, isPending, files, ...facts })} They are hidden at once, and deleted with the next prompt.${moves}`,
    files: `${saidOf('OpenCode', reach)} Undoing its revert puts back the whole folder, also what this session never touched.`, restores: reach.restores, leaves: reach.leaves,
  };
}

function codexAction(facts: ActionFacts): RevertAction {
  const refused = facts.point.on === 'taken back' ? 'This message is taken back already.' : null;
  return {
    kind: 'conversation', by: 'agent', available: refused === null, refused,
    conversation: refused ? takenBack(facts) : `${takenBack(facts)} Codex keeps their records and does not show them any more.`, files: 'Codex leaves all files as they are.', restores: 0,
    leaves: facts.files.filter(({ state }) => state !== 'unchanged').length,
  };
}

function aiderActions(facts: ActionFacts): RevertAction[] {
  const { point, commits, files } = facts;
  const reach = reachOf(files);
  const back = point.on === 'taken back' ? 'What this message did is taken back already.' : null;
  return [
    {
      kind: 'undo commits', by: 'agent', available: back === null && commits > 0, refused: back ?? (commits > 0 ? null : 'Aider made no commit after this message.'),
      conversation: `${kept} The history file keeps all of it.`,
      files: `${saidOf('Aider', reach)} It takes ${many(commits, '/undo')}, newest first, in the run that made the commits, while they are not pushed.`, restores: reach.restores, leaves: reach.leaves,
    },
    {
      kind: 'history file', by: 'retrace', available: back === null, refused: back,
      conversation: `A plan makes a copy of the history file that ends before this message, for --restore-chat-history to read; ${many(facts.turns, 'turn')} would not be in it.`, files: filesStay, restores: 0, leaves: files.filter(({ state }) => state !== 'unchanged').length,
    },
  ];
}

/** Retrace's own way: only files of this session's changes, each by itself. */
function byFile({ files }: ActionFacts): RevertAction {
  const certain = files.filter(({ state }) => state === 'restorable' || state === 'deleted' || state === 'recreated').length;
  const conflicts = files.filter(({ state }) => state === 'conflict').length;
  const leaves = files.filter(({ state }) => state === 'cannot' || state === 'memory').length;
  return {
    kind: 'files', by: 'retrace', available: certain + conflicts > 0, refused: certain + conflicts > 0 ? null : 'There is no file that would change.', conversation: kept,
    files: `${many(certain, 'file')} would be taken back${conflicts > 0 ? `, ${conflicts === 1 ? '1 conflict is' : `${conflicts} conflicts are`} yours to decide` : ''}${leaves > 0 ? `, ${leaves} cannot be` : ''}. Only what this session changed is touched.`, restores: certain, leaves: leaves + conflicts,
  };
}
