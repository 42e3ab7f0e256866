import type { PartKind, Role, ToolFamily, ToolStatus } from '@shared/model';
import { decodeKey, familyCode, kindCode, messageFlag, partFlag, roleCode, stateCode, statusCode } from '../library/codes';
import type { Db } from '../library/database';
import type { StoredBranch } from '../library/session-row';

/** A part as far as branches and comparisons need it; no body. */
export interface WalkedPart {
  row: number;
  /** Place on the session's timeline. */
  seq: number;
  kind: PartKind;
  digest: number;
  injected: boolean;
  reverted: boolean;
  family: ToolFamily | null;
  status: ToolStatus | null;
  added: number;
  removed: number;
}

/** What the provider counted for a message, as the row has it: nulls where the store keeps quiet. */
export interface MessageTokens {
  input: number | null;
  output: number | null;
  reasoning: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

export interface WalkedMessage extends MessageTokens {
  key: string;
  role: Role;
  /** ms since 1970. */
  time: number | null;
  prompt: boolean;
  /** It came with a fork: its tokens are not the session's own. */
  inherited: boolean;
  /** In timeline order; at least one. */
  parts: WalkedPart[];
}

/** One path through a session. */
export interface WalkedBranch {
  /** As in `Branch.id`. */
  id: string;
  current: boolean;
  /** Key of the last message it shares with the current branch; null when it shares none, and for the current one. */
  after: string | null;
  /** How many of its messages the current branch has too; of the current one all. */
  shared: number;
  messages: WalkedMessage[];
}

type PartTuple = [row: number, seq: number, message: number, kind: number, digest: number, state: number, flags: number, family: number | null, status: number | null, added: number | null, removed: number | null];
type MessageTuple = [row: number, key: string | Buffer, role: number, time: number | null, flags: number, input: number | null, output: number | null, reasoning: number | null, cacheRead: number | null, cacheWrite: number | null];

/** A session's messages on the current branch and off it, from which each branch is put together. */
export class Walks {
  readonly #parts;
  readonly #messages;
  readonly #branches;

  constructor(db: Db) {
    this.#parts = db.prepare<[number]>('SELECT id, seq, message, kind, digest, state, flags, family, status, added, removed FROM part WHERE session = ? AND message IS NOT NULL ORDER BY seq').raw();
    this.#messages = db.prepare<[number]>('SELECT id, key, role, time, flags, input, output, reasoning, cache_read, cache_write FROM message WHERE session = ?').raw();
    this.#branches = db.prepare<[number], string | null>('SELECT branches FROM session WHERE id = ?').pluck();
  }

  /** The branches of a session in the order of `SessionDetail.branches`, the current one last; none for a session without messages. */
  branches(session: number): WalkedBranch[] {
    const stored = JSON.parse((this.#branches.get(session) as string | null | undefined) ?? '[]') as StoredBranch[];
    const { current, off } = this.#halves(session);
    if (current.length === 0 && stored.length === 0) return [];
    const place = new Map(current.map((message, index) => [message.key, index]));
    return [
      ...stored.map(({ after, own }, index): WalkedBranch => {
        const shared = after === null ? [] : current.slice(0, (place.get(after) ?? -1) + 1);
        return { id: String(index + 1), current: false, after, shared: shared.length, messages: [...shared, ...own.flatMap((key) => off.get(key) ?? [])] };
      }),
      { id: String(stored.length + 1), current: true, after: null, shared: current.length, messages: current },
    ];
  }

  /** A message may have parts on the current branch and others off it: a call that was answered only elsewhere. */
  #halves(session: number): { current: WalkedMessage[]; off: Map<string, WalkedMessage> } {
    const heads = new Map((this.#messages.all(session) as MessageTuple[]).map((tuple) => [tuple[0], messageOf(tuple)]));
    const current = new Map<number, WalkedMessage>();
    const off = new Map<string, WalkedMessage>();
    for (const tuple of this.#parts.all(session) as PartTuple[]) {
      const head = heads.get(tuple[2]);
      if (!head) continue;
      const part = partOf(tuple);
      if (tuple[5] === stateCode.code('off-branch')) add(off, head.key, head, part);
      else add(current, tuple[2], head, part);
    }
    return { current: [...current.values()], off };
  }
}

function add<Key>(messages: Map<Key, WalkedMessage>, key: Key, head: Omit<WalkedMessage, 'parts'>, part: WalkedPart): void {
  const known = messages.get(key);
  if (known) known.parts.push(part);
  else messages.set(key, { ...head, parts: [part] });
}

const messageOf = ([, key, role, time, flags, input, output, reasoning, cacheRead, cacheWrite]: MessageTuple): Omit<WalkedMessage, 'parts'> => ({
  key: decodeKey(key), role: roleCode.word(role), time, prompt: (flags & messageFlag.prompt) !== 0, inherited: (flags & messageFlag.inherited) !== 0, input, output, reasoning, cacheRead, cacheWrite,
});

const partOf = ([row, seq, , kind, digest, state, flags, family, status, added, removed]: PartTuple): WalkedPart => ({
  row, seq, kind: kindCode.word(kind), digest, injected: (flags & partFlag.injected) !== 0, reverted: state === stateCode.code('reverted'),
  family: family === null ? null : familyCode.word(family), status: status === null ? null : statusCode.word(status), added: added ?? 0, removed: removed ?? 0,
});

/** Said or done by person or model: what makes a conversation. The rest an agent puts in for itself, or a border. */
export const isSaid = ({ injected, kind }: WalkedPart): boolean => !injected && kind !== 'step' && kind !== 'notice';
/** A message that says something, and was not taken back. */
export const isTold = (message: WalkedMessage): boolean => message.parts.some((part) => isSaid(part) && !part.reverted);
