import type { JsonObject } from '../store';
import { type Entry, entryOf, nameOf, textOf } from './entry';
import { sidechainNative } from './places';
import type { OpenTask, Sidechain, TranscriptState } from './state';
import { newTally } from './tally';
import { firstText } from './user-entry';

/** Finished sidechains remembered by a transcript, and records of an open one: later lines name one of the last. */
const chainsKept = 32;
const keysKept = 256;
const tasksKept = 64;
/** Characters by which a prompt is told again. */
const prefix = 96;

/**
 * Subagents of release 1.0.x stand in the session's own file, as roots of their own (FORMAT.md, "Subagents"). Which
 * call started one is told by its first text, which is the call's prompt.
 */
export class Sidechains {
  constructor(
    readonly state: TranscriptState,
    readonly prove: (session: string, slot: string, data: JsonObject) => void,
  ) {}

  nativeOf(chain: Sidechain): string {
    return sidechainNative(this.state.native ?? '', chain.root);
  }

  /** The sidechain a line belongs to; a root begins one. */
  chainOf(key: string, parent: string | null, entry: Entry): Sidechain {
    const { sidechains } = this.state;
    const known = parent === null ? undefined : (sidechains.find((chain) => chain.keys.includes(parent)) ?? sidechains.at(-1));
    const chain = known ?? sidechains.find((candidate) => candidate.root === key) ?? this.#begin(key, entry);
    chain.keys.push(key);
    if (chain.keys.length > keysKept) chain.keys.shift();
    return chain;
  }

  #begin(root: string, entry: Entry): Sidechain {
    const { state } = this;
    const chain: Sidechain = { root, keys: [], tally: newTally() };
    state.sidechains.push(chain);
    const text = firstText(entryOf(entry['message'])?.['content']);
    const at = state.tasks.findIndex((task) => task.length === text.length && text.startsWith(task.begins));
    const task = at < 0 ? null : state.tasks.splice(at, 1)[0];
    chain.tally.description = task?.description ?? null;
    this.prove(this.nativeOf(chain), 'spawn', { call: task?.call ?? null, parent: state.native, description: task?.description ?? null, inline: true });
    return chain;
  }

  seeCall(call: string, input: Entry): void {
    const prompt = textOf(input['prompt']);
    if (prompt === null) return;
    const { tasks } = this.state;
    tasks.push({ call, length: prompt.length, begins: prompt.slice(0, prefix), description: nameOf(input['description']) });
    if (tasks.length > tasksKept) tasks.shift();
  }

  /** A call with a result starts nothing any more; returns the call when it was one of a subagent. */
  seeResult(call: string): OpenTask | null {
    const { tasks } = this.state;
    const at = tasks.findIndex((task) => task.call === call);
    return at < 0 ? null : (tasks.splice(at, 1)[0] ?? null);
  }

  trim(): void {
    const { state } = this;
    if (state.sidechains.length > chainsKept) state.sidechains = state.sidechains.slice(-chainsKept);
  }
}
