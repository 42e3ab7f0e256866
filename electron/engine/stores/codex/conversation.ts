import type { Role, Tokens } from '@shared/model';
import type { PartFact } from '../store';
import { type Call, titleOf } from './calls';
import { type OpenCall, type OpenMessage, remember } from './carry';
import { type Fields } from '../foreign/fields';
import { digestOf, oneLine } from './fields';
import { type Output, outputOf, outputOfItem } from './outputs';
import { linesOf } from './patches';
import { type Scribe, textPart } from './scribe';

/** Calls kept open at the most; a call is answered soon or never. */
const openAtMost = 256;
/** Texts and calls remembered to see that one thing is told twice; the second telling follows closely. */
const remembered = 24;

/**
 * What is said and done, whichever record tells it. Codex writes most things twice, as what went to the model and as
 * what a person saw; here each becomes one part. An assistant's message is what one request brought: it begins with
 * the first output after something new was said to the model, and holds one text at the most.
 */
export class Conversation {
  constructor(readonly scribe: Scribe) {}

  get #carry() {
    return this.scribe.carry;
  }

  /** A person's message as it goes to the model. Its text is told again by what follows; its pictures stand only here. */
  announce(type: string, pictures: PartFact[], turn: string | null): void {
    this.close();
    const key = this.scribe.nextMessage(turn);
    this.#carry.pending = { key, images: pictures.length };
    this.#carry.fresh = true;
    if (pictures.length > 0) this.scribe.record(type, { message: this.scribe.message(key, 'user', {}), parts: pictures });
  }

  person(type: string, text: string, parts: PartFact[], turn: string | null): void {
    const carry = this.#carry;
    this.close();
    if (carry.copied && !carry.hasTurns) {
      carry.copied = false;
      carry.byContent = true;
    }
    const known = carry.pending;
    const key = known?.key ?? this.scribe.nextMessage(turn);
    carry.pending = null;
    carry.fresh = true;
    carry.message = null;
    carry.lastPrompt = key;
    if (text.trim() !== '') carry.prompt ??= oneLine(text);
    const shown = text === '' ? parts : [textPart('text', text, 0), ...parts];
    // What went to the model stands before what a person saw; a review's task is only shown here, and sent in its own thread.
    const unsent = known === null && isEvent(type) ? { unsent: true } : {};
    this.scribe.record(type, { message: this.scribe.message(key, 'user', { counted: true, prompt: true }), parts: shown, note: { said: digestOf(text), ...unsent }, ...this.#late(turn) });
  }

  assistant(type: string, text: string, turn: string | null, id: string | null = null): void {
    const carry = this.#carry;
    const digest = digestOf(text);
    const known = carry.unshown?.digest === digest ? carry.unshown : null;
    carry.unshown = null;
    let message = this.#open(turn);
    if (message.hasText) message = this.#begin(turn);
    message.hasText = true;
    message.hasParts = true;
    // What was hidden a line ago, since no event had shown it, is the same text.
    const key = known?.key ?? this.scribe.line.key;
    remember(carry.shown, [digest, key], remembered);
    if (id !== null) remember(carry.shownIds, id, remembered);
    const waits = !known && isEvent(type) && this.scribe.line.ordinal === null ? { note: { waits: true } } : {};
    this.scribe.record(type, { key, ...waits, message: this.scribe.message(message.key, 'assistant', { counted: true }), parts: [textPart('text', text, 0)], ...this.#late(turn) });
  }

  /** A text of the assistant among the response items: shown by an event, or never (the summary of a compaction). */
  repeated(type: string, text: string, parts: PartFact[], turn: string | null): void {
    const digest = digestOf(text);
    const told = this.#carry.shown.findLast(([shown]) => shown === digest);
    if (told) {
      // Without ordinals an event alone does not say that its text was sent; this line does, and its place is the place in what is sent.
      if (this.scribe.line.ordinal === null) this.scribe.record(type, { note: { sends: told[1] } });
      return;
    }
    const message = this.#open(turn);
    this.#carry.unshown = { digest, key: this.scribe.line.key };
    this.scribe.record(type, { message: this.scribe.message(message.key, 'assistant', {}), parts });
  }

  reasoning(type: string, text: string, turn: string | null): void {
    if (text === '') return;
    const message = this.#open(turn);
    this.scribe.record(type, { message: this.scribe.message(message.key, 'assistant', {}), parts: [textPart('reasoning', text, 0)], ...this.#late(turn) });
  }

  /** Reasoning as it goes back to the model. What can be read of it is told by an event; the rest is encrypted. */
  thought(type: string, size: number): void {
    this.scribe.record(type, { note: { size } });
  }

  /** Anything else the model brought, as parts of its message. */
  said(type: string, parts: PartFact[], turn: string | null): void {
    const message = this.#open(turn);
    this.scribe.record(type, { message: this.scribe.message(message.key, 'assistant', {}), parts, ...this.#late(turn) });
  }

  /** What the agent put in: never a prompt, never counted. `outlives`: Codex takes it for a person's message when it compacts. */
  inject(type: string, role: Role, parts: PartFact[], turn: string | null, agentName: string | null = null, outlives = false): void {
    this.#carry.fresh = true;
    this.scribe.record(type, { message: this.scribe.message(this.scribe.nextMessage(turn), role, { agentName }), parts, note: outlives ? { outlives: true } : null });
  }

  /** A command the person ran, in files without an item for it. */
  command(type: string, command: string, whole: string, turn: string | null): void {
    this.#carry.fresh = true;
    const part = { ...textPart('command', whole, 0), title: oneLine(`!${command}`) };
    this.scribe.record(type, { message: this.scribe.message(this.scribe.nextMessage(turn), 'user', {}), parts: [part] });
  }

  call(type: string, call: Call, turn: string | null, injected: boolean): void {
    const carry = this.#carry;
    const message = this.#open(turn);
    const status = call.family === 'web' ? 'completed' : 'pending';
    this.scribe.record(type, { message: this.scribe.message(message.key, 'assistant', {}), parts: [toolPart(call, status, injected)], ...this.#late(turn) });
    if (call.todos.length > 0 && !injected) carry.plan = call.todos;
    if (call.callId === null) return;
    const { key, order } = this.scribe.line;
    carry.calls[call.callId] = { key, order, message: message.key, name: call.name, injected, edits: call.edits.length > 0, late: null };
    if (++carry.opened % openAtMost === 0) this.#forgetOldCalls();
  }

  /** Calls that were not answered for a long time never will be. */
  #forgetOldCalls(): void {
    const { calls } = this.#carry;
    for (const callId of Object.keys(calls).slice(0, -openAtMost)) delete calls[callId];
  }

  /** What the model got back of a call. */
  output(type: string, item: Fields, callId: string): void {
    const carry = this.#carry;
    carry.fresh = true;
    if (carry.answered.includes(callId)) return;
    const open = carry.calls[callId];
    const output = outputOf(item);
    // Where items are written, the command's own end replaces this; searched twice it would be found twice.
    const isPassing = output.unfinished && open !== undefined && this.scribe.line.ordinal !== null;
    if (open && output.unfinished) open.late = output.status === 'running' ? 'running' : 'interrupted';
    else delete carry.calls[callId];
    const nothing = open?.edits && (output.status === 'error' || output.status === 'denied') ? { added: 0, removed: 0 } : {};
    this.scribe.record(type, { results: [{ callId, block: 0, status: output.status, text: isPassing ? null : output.text, size: output.text.length, ...nothing }] });
  }

  /** How a call ended, told by an item or event that knows more than the output. False when no call waits for it. */
  answer(type: string, item: Fields, callId: string, call: Call): boolean {
    const carry = this.#carry;
    const open = carry.calls[callId];
    if (!open) return false;
    const output = outputOfItem(item);
    delete carry.calls[callId];
    remember(carry.answered, callId, remembered);
    if (open.late) this.#replace(type, open, { ...call, callId, name: open.name }, output);
    else this.scribe.record(type, { results: [{ callId, block: 0, status: output.status, text: output.text, size: output.text.length, ...changed(output) }] });
    return true;
  }

  /** The end of a command comes after the output that said it ran on: the item stands for call and output, in the call's place. */
  #replace(type: string, open: OpenCall, call: Call, output: Output): void {
    const status = open.late === 'interrupted' && output.status === 'error' ? 'interrupted' : output.status;
    const part = { ...toolPart(call, status, open.injected), output: { text: output.text, size: output.text.length }, ...changed(output) };
    this.scribe.record(type, { key: open.key, order: open.order, message: this.scribe.message(open.message, 'assistant', {}), parts: [part] });
  }

  /** A call of which only the item is recorded: a person's own command, or what a script did. */
  done(type: string, item: Fields, call: Call, turn: string | null): void {
    const output = outputOfItem(item);
    const part: PartFact = { ...toolPart(call, output.status, false), output: { text: output.text, size: output.text.length }, ...changed(output) };
    const own = call.name === 'user_shell';
    const key = own ? this.scribe.nextMessage(turn) : this.#open(turn).key;
    if (own) this.#carry.fresh = true;
    // The model gets a person's command as a text of its own, and of a script's doings only the script's output.
    this.scribe.record(type, { message: this.scribe.message(key, own ? 'user' : 'assistant', {}), parts: [part], note: { unsent: true }, ...this.#late(turn) });
  }

  notice(type: string, part: PartFact, turn: string | null = null): void {
    this.scribe.record(type, { parts: [part], ...this.#late(turn) });
  }

  /** A request was billed: its tokens belong to the message it brought. */
  billed(type: string, tokens: Tokens): void {
    let { message } = this.#carry;
    if (!message || message.hasTokens) message = this.#begin(this.#carry.turn);
    message.hasTokens = true;
    this.scribe.record(type, { message: this.scribe.message(message.key, 'assistant', { tokens }) });
  }

  /** Ends the open message. One that got tokens and nothing else is a request nobody saw the answer of. */
  close(): void {
    const { message } = this.#carry;
    this.#carry.message = null;
    if (!message?.hasTokens || message.hasParts) return;
    const part: PartFact = { block: 0, kind: 'step', title: 'A request whose answer is not recorded', text: null, size: 0, injected: true };
    this.scribe.record('step', { key: `${this.scribe.line.key}.step`, message: this.scribe.message(message.key, 'assistant', {}), parts: [part] });
  }

  #open(turn: string | null): OpenMessage {
    const { message, fresh, turn: current } = this.#carry;
    const usable = message !== null && !fresh && (turn === null || turn === current);
    const open = usable ? message : this.#begin(turn ?? current);
    open.hasParts = true;
    return open;
  }

  #begin(turn: string | null): OpenMessage {
    this.close();
    const message = { key: this.scribe.nextMessage(turn), hasText: false, hasTokens: false, hasParts: false };
    this.#carry.message = message;
    this.#carry.fresh = false;
    return message;
  }

  /** What belongs to a turn that ended is placed at that turn's end (FORMAT.md, "Turns"). */
  #late(turn: string | null): { order?: number } {
    if (turn === null || turn === this.#carry.turn) return {};
    const end = this.#carry.ended.find(([ended]) => ended === turn)?.[1];
    return end === undefined ? {} : { order: end + 1 / 4 };
  }
}

/** A line that tells what a person saw, not what went to the model. */
const isEvent = (type: string): boolean => type.startsWith('event_msg/');

function toolPart(call: Call, status: NonNullable<PartFact['tool']>['status'], injected: boolean): PartFact {
  const lines = call.edits.length > 0 ? linesOf(call.edits) : {};
  return { block: 0, kind: 'tool', title: titleOf(call), text: call.text, size: call.size, injected, ...lines, tool: { name: call.name, family: call.family, callId: call.callId, status } };
}

/** Lines a call changed, as its end says; one that failed or was refused changed none. */
function changed(output: Output): { added?: number; removed?: number } {
  if (output.edits === null) return {};
  return output.status === 'completed' ? linesOf(output.edits) : { added: 0, removed: 0 };
}
