import { dirname, isAbsolute, resolve } from 'node:path';
import { nativeId } from '@shared/model';
import { type EvidenceFact, instructionsSlot, type JsonObject, type MessageFact, type PartFact, type RecordedInstructions, type RecordFact, type ResultFact } from '../store';
import type { TurnState } from './carry';
import { contentOf } from './content';
import { editsOf } from './edits';
import { runNative } from './places';
import type { Block } from './split';
import { readPlain, readSpecial } from './messages';
import { oneLine } from './title';
import { wallTime } from './time';
import { readOnlyFile } from './vocabulary';
import { wordsOf } from './words';

/** Read-only files remembered of one block of messages. */
const readOnlyKept = 100;

/** What one block adds to its record. */
export interface BlockFacts {
  type: string;
  message: MessageFact;
  parts: PartFact[];
  results: ResultFact[];
  note: JsonObject;
}

/** Makes records of blocks, one after the other, keeping the state of the turn. */
export class BlockReader {
  readonly records: RecordFact[] = [];
  readonly evidence = new Map<string, EvidenceFact>();

  constructor(
    readonly path: string,
    readonly turn: TurnState,
  ) {}

  take(block: Block, bytes: Uint8Array, foreign: number): void {
    const content = contentOf(bytes);
    if (block.kind === 'run' || this.turn.run === null) this.#beginRun(block, block.kind === 'run' ? content.started : null);
    const run = this.turn.run;
    if (run === null) return;
    run.foreign += foreign;
    run.trimmed ||= block.doubts.includes('trimmed');
    const facts = this.#facts(block, content.text);
    const doubts = block.doubts.filter((doubt) => doubt !== 'trimmed');
    if (block.kind === 'run' || block.kind === 'tool') this.#seeReadOnly(block, content.text);
    const note = { ...facts.note, ...(doubts.length > 0 ? { doubts, lookalikes: block.lookalikes } : {}) };
    this.records.push({
      session: nativeId(run.native), key: String(block.at), parent: undefined, joins: null, type: facts.type, time: facts.message.time,
      at: block.at, bytes: block.end - block.at, message: facts.message, parts: facts.parts, results: facts.results,
      note: Object.keys(note).length > 0 ? note : null, order: null,
    });
  }

  /** Tells what is known of the last run. `torn` is how much of a last line without an end there is: told until the next bytes come. */
  end(torn: number): void {
    if (this.turn.run) this.#tell('run', { ...this.turn.run, ...(torn > 0 ? { torn } : {}) });
  }

  /** Names are relative to the repository or to the folder of the run: where the history lies is as near as one can tell. */
  #seeReadOnly(block: Block, text: string): void {
    const names = text.split('\n').flatMap((line) => readOnlyFile(line.trim()) ?? []);
    if (names.length === 0) return;
    const files = names.slice(0, readOnlyKept).map((name) => ({ path: resolve(dirname(this.path), name), kind: 'read-only', characters: 0, inferred: !isAbsolute(name) }));
    this.#tell(`${instructionsSlot}${block.at}`, { key: String(block.at), at: block.at, block: 0, files } satisfies RecordedInstructions);
  }

  /** Replaces what the same slot said of the run before. */
  #tell(slot: string, data: JsonObject): void {
    const native = this.turn.run?.native ?? '';
    this.evidence.set(`${native} ${slot}`, { session: nativeId(native), slot, data });
  }

  #beginRun(block: Block, started: string | null): void {
    const { run } = this.turn;
    this.end(0);
    Object.assign(this.turn, { prompt: null, message: null, calls: [], command: null, echo: null, own: false, commits: [] } satisfies Partial<TurnState>);
    this.turn.run = {
      native: runNative(this.path, block.at), started, previous: run && { native: run.native, started: run.started },
      version: null, model: null, models: [], format: null, gitFolder: null, restored: false, prompt: null, command: null, rounded: false, trimmed: false, foreign: 0,
    };
  }

  #facts(block: Block, text: string): BlockFacts {
    switch (block.kind) {
      case 'run':
        return this.#run(block, text);
      case 'user':
        return this.#prompt(block, text);
      case 'answer':
        return this.#answer(block, text);
      case 'tool':
        return this.#messages(block, text);
    }
  }

  #run(block: Block, text: string): BlockFacts {
    const { run } = this.turn;
    const note = readPlain(text, this.turn);
    const about = [run?.version && `Aider ${run.version}`, run?.model, run?.format && `${run.format} edits`].filter(Boolean).join(', ');
    const time = wallTime(run?.started ?? '');
    return {
      type: 'run',
      message: { key: String(block.at), role: 'system', time, model: null, agentName: null, counted: false, prompt: false, tokens: null },
      parts: [{ block: 0, kind: 'notice', title: about === '' ? 'Aider started' : oneLine(about), text, size: text.length, injected: false }],
      results: [], note,
    };
  }

  #prompt(block: Block, text: string): BlockFacts {
    const { turn } = this;
    const command = /^[/!]/.test(text);
    const echoes = turn.echo !== null && turn.echo === text.trim();
    const key = block.continues && turn.prompt !== null ? turn.prompt : String(block.at);
    if (!block.continues) this.#beginTurn(key, command ? text : null);
    const { run } = turn;
    if (run && !block.continues) {
      if (command) run.command ??= /^\/(?:exit|quit)\b/.test(text) ? null : oneLine(text);
      else run.prompt ??= oneLine(text);
    }
    return {
      type: command ? 'user/command' : 'user',
      message: { key, role: 'user', time: null, model: null, agentName: null, counted: true, prompt: true, tokens: null },
      parts: [{ block: 0, kind: command ? 'command' : 'text', title: command ? oneLine(text) : null, text, size: text.length, injected: false }],
      results: [],
      note: { words: wordsOf(text), ...(echoes ? { echo: true } : {}) },
    };
  }

  #beginTurn(key: string, command: string | null): void {
    const { turn } = this;
    for (const { slot, ...commit } of turn.commits) this.#tell(slot, { ...commit, before: key });
    const [, word = '', rest = ''] = /^[/!]\s*(\S*)\s*(.*)$/s.exec(command ?? '') ?? [];
    Object.assign(turn, {
      prompt: key, message: null, calls: [], own: false, commits: [],
      command: command === null ? null : command.startsWith('!') ? 'run' : word,
      // FORMAT.md, "Commands": what a command hands to the model is written as a prompt of its own.
      echo: rest.trim() === '' ? null : rest.trim(),
    } satisfies Partial<TurnState>);
  }

  /** The assistant's message: what comes before an answer belongs to it, a second answer of the turn is a message of its own. */
  #assistant(block: Block, answers: boolean): MessageFact {
    const { turn } = this;
    const isNew = turn.message === null || (answers && turn.message.answered && !block.continues);
    if (isNew) turn.message = { key: String(block.at), answered: answers };
    else if (turn.message && answers) turn.message.answered = true;
    return {
      key: turn.message?.key ?? String(block.at), role: 'assistant', time: null, model: answers ? (turn.run?.model ?? null) : null, agentName: null,
      counted: answers, prompt: false, tokens: null,
    };
  }

  #answer(block: Block, text: string): BlockFacts {
    const { turn } = this;
    const message = this.#assistant(block, true);
    const edits = editsOf(text, turn.run?.format?.startsWith('whole') === true);
    const parts: PartFact[] = [{ block: 0, kind: 'text', title: null, text, size: text.length, injected: false }];
    const calls = edits.map(({ path, ...edit }, index) => {
      const id = `${block.at}:${path}`;
      parts.push({
        block: index + 1, kind: 'tool', title: oneLine(path), text: path, size: edit.source.length, injected: false,
        tool: { name: 'edit', family: 'edit', callId: id, status: 'unknown' },
        ...(edit.patch === null ? {} : { added: edit.added, removed: edit.removed }),
      });
      return { id, path };
    });
    turn.calls = block.continues ? [...turn.calls, ...calls] : calls;
    return { type: 'answer', message, parts, results: [], note: { words: wordsOf(text), ...(calls.length > 0 ? { edits: calls.map(({ path }) => path) } : {}) } };
  }

  #messages(block: Block, text: string): BlockFacts {
    const before = this.turn.message;
    const message = this.#assistant(block, false);
    const { commit: made, undone, tokens, ...facts } = readSpecial(block, text, this.turn);
    if (undone !== null) this.#tell(`undo:${block.at}`, { hash: undone });
    if (made) {
      const { own, ...commit } = made;
      const slot = `commit:${block.at}`;
      // A commit of the person's own changes is the state before the answer's edits.
      this.#tell(slot, { ...commit, own, before: own ? (before?.key ?? null) : null });
      if (!own) this.turn.commits.push({ slot, ...commit });
    }
    return { ...facts, message: { ...message, tokens } };
  }
}
