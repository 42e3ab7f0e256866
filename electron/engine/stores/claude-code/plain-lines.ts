import type { JsonObject } from '../store';
import { type Entry, entryOf, isEntry, nameOf, numberOf, oneLine, textOf } from './entry';
import type { TranscriptState } from './state';
import { seeQueue, seeWorktree } from './tally';

/** Bookkeeping of the program that says nothing a reader needs. `api-request*` repeats the conversation as it went over the wire. */
const silent = new Set(['mode', 'permission-mode', 'tools-used', 'agent-name', 'agent-color', 'api-request', 'api-request-shape', 'api-request-blob', 'atis-latch', 'cost-state', 'relocated']);

/** Leaves and titles remembered for `summary` lines. */
const leavesKept = 48;
const titlesKept = 16;

/** The all-zero leaf of a pointer that says "none: the end of the file decides". */
export const noLeaf = '00000000-0000-0000-0000-000000000000';

/** Reads the lines that are not of the chain: titles, checkpoints, pointers, pull requests (FORMAT.md, "Other lines"). */
export class PlainLines {
  constructor(
    readonly state: TranscriptState,
    readonly prove: (slot: string, data: JsonObject) => void,
  ) {}

  /** Returns the note of an explicit pointer, which has its place among the records; `unknown` for a type nobody knows. */
  take(type: string, entry: Entry, at: number): JsonObject | 'unknown' | null {
    const { tally } = this.state;
    switch (type) {
      case 'custom-title':
        tally.customTitle = nameOf(entry['customTitle']) ?? tally.customTitle;
        return null;
      case 'ai-title':
        tally.madeTitle = nameOf(entry['aiTitle']) ?? tally.madeTitle;
        return null;
      case 'summary':
        this.#seeTitle(nameOf(entry['leafUuid']), nameOf(entry['summary']));
        return null;
      case 'last-prompt':
        tally.lastPrompt = nameOf(oneLine(textOf(entry['lastPrompt']) ?? '')) ?? tally.lastPrompt;
        return entry['explicit'] === true ? { leaf: nameOf(entry['leafUuid']) ?? noLeaf } : null;
      case 'queue-operation':
        seeQueue(tally, entry);
        return null;
      case 'worktree-state':
        seeWorktree(tally, entry);
        return null;
      case 'pr-link':
        this.#seePullRequest(entry, at);
        return null;
      case 'file-history-snapshot':
        this.#seeSnapshot(entry, at);
        return null;
      case 'file-history-delta':
        this.#seeDelta(entry, at);
        return null;
      default:
        return silent.has(type) ? null : 'unknown';
    }
  }

  /** Follows the ends of the chain, since a `summary` line belongs to the file that holds its leaf. */
  seeKey(key: string, parent: string | null): void {
    const { state } = this;
    const before = parent === null ? -1 : state.leaves.lastIndexOf(parent);
    if (before >= 0 && before === state.leaves.length - 1) state.leaves[before] = key;
    else {
      state.leaves.push(key);
      if (state.leaves.length > leavesKept) state.leaves.shift();
    }
    if (state.pendingTitles.length === 0) return;
    for (const [leaf, title] of state.pendingTitles) if (leaf === key) state.tally.summaryTitle = title;
    state.pendingTitles = state.pendingTitles.filter(([leaf]) => leaf !== key);
  }

  #seeTitle(leaf: string | null, title: string | null): void {
    const { state } = this;
    if (leaf === null || title === null) return;
    if (state.leaves.includes(leaf)) state.tally.summaryTitle = oneLine(title);
    else state.pendingTitles = [...state.pendingTitles.filter(([other]) => other !== leaf), [leaf, oneLine(title)] satisfies [string, string]].slice(-titlesKept);
  }

  #seePullRequest(entry: Entry, n: number): void {
    const url = nameOf(entry['prUrl']);
    if (url !== null) this.prove(`pull:${url}`, { n, url, number: numberOf(entry['prNumber']), repository: nameOf(entry['prRepository']) });
  }

  /** The last line for a `snapshot.messageId` wins; the outer `messageId` is another one in older updates. */
  #seeSnapshot(entry: Entry, n: number): void {
    const snapshot = entryOf(entry['snapshot']);
    const message = nameOf(snapshot?.['messageId']);
    const tracked = entryOf(snapshot?.['trackedFileBackups']);
    if (!snapshot || message === null || !tracked) return;
    const files: JsonObject[] = [];
    for (const [path, backup] of Object.entries(tracked)) if (isEntry(backup)) files.push(backupOf(path, backup));
    this.prove(`snapshot:${message}`, { n, message, time: textOf(snapshot['timestamp']), untracked: snapshot['hasUntrackedChanges'] === true, files });
  }

  #seeDelta(entry: Entry, n: number): void {
    const message = nameOf(entry['snapshotMessageId']);
    const path = nameOf(entry['trackingPath']);
    const backup = entryOf(entry['backup']);
    if (message !== null && path !== null && backup) this.prove(`delta:${message}:${path}`, { n, message, files: [backupOf(path, backup)] });
  }
}

/** One tracked file: its path, the name of its backup (null: it did not exist), version, and the folder it really lies in. */
function backupOf(path: string, backup: Entry): JsonObject {
  return { path, name: nameOf(backup['backupFileName']), version: numberOf(backup['version']) ?? 0, folder: nameOf(backup['realParentDir']) };
}
