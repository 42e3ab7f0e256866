import { type Damage, nativeId } from '@shared/model';
import { type EvidenceFact, instructionsSlot, type JsonObject, memorySlot, type MemoryTouch, type ProjectInput, type Projection, type RecordedInstructions, type RecordFact } from '../store';
import { type LinePlace, type LineReader, readLines } from '../foreign/json-lines';
import { showAssistant } from './assistant-entry';
import { showAttachment } from './attachment-entry';
import { chainTypes, copySource, inputOf, isKnown, turnKind, typeName } from './chain-line';
import { type Entry, entryOf, isEntry, listOf, nameOf, oneLine, textOf, timeOf } from './entry';
import { instructionFiles } from './instructions';
import { transcriptLines } from './line-rules';
import { memoryTouch } from './memory';
import { agentNative, type Place } from './places';
import { PlainLines } from './plain-lines';
import { RepeatedBlocks } from './repeated';
import { loadsTools, ownerOf, resultsOf, startedAgent } from './results';
import { noted, type Shown, showsNothing } from './shown';
import { Sidechains } from './sidechains';
import { stateOf, type TranscriptState } from './state';
import { showSystem } from './system-entry';
import { factsEvidence, seeEnvelope, seeModel, type Tally } from './tally';
import { strangeIn } from './strange';
import { firstText, userKind, userParts } from './user-entry';

/** Projects a batch of a session's or subagent's transcript. */
export function projectTranscript(input: ProjectInput, place: Place): Projection {
  const reading = new TranscriptReading(input, place, stateOf(input.carry));
  return reading.project();
}

class TranscriptReading implements LineReader {
  readonly rules = transcriptLines;
  readonly #projection: Projection = { records: [], evidence: [], removed: [], damage: [], unknown: {}, carry: null };
  readonly #evidence = new Map<string, EvidenceFact>();
  readonly #unknown = new Map<string, number>();
  readonly #touched = new Set<Tally>();
  readonly #plain: PlainLines;
  readonly #sidechains: Sidechains;
  readonly #repeated: RepeatedBlocks;

  constructor(
    readonly input: ProjectInput,
    readonly place: Place,
    readonly state: TranscriptState,
  ) {
    if (place.kind === 'transcript') state.native ??= place.session;
    else if (place.session !== null) state.native ??= agentNative(place.session, place.agent ?? '');
    this.#plain = new PlainLines(state, (slot, data) => this.#prove(this.#native, slot, data));
    this.#sidechains = new Sidechains(state, (session, slot, data) => this.#prove(session, slot, data));
    this.#repeated = new RepeatedBlocks(state.marks);
  }

  project(): Projection {
    const { state } = this;
    Object.assign(state, readLines(this.input.bytes, this.input.at, state.line, state.open, this));
    // A batch without bytes tells that the file's state changed (a torn line came or went): its session is looked at again.
    const isWord = this.input.bytes.length === 0 && state.links > 0;
    if (isWord || this.#touched.has(state.tally)) this.#prove(this.#native, 'facts', factsEvidence(state.tally));
    for (const chain of state.sidechains) {
      if (this.#touched.has(chain.tally)) this.#prove(this.#sidechains.nativeOf(chain), 'facts', factsEvidence(chain.tally));
    }
    this.#sidechains.trim();
    this.#projection.evidence = [...this.#evidence.values()];
    this.#projection.unknown = Object.fromEntries(this.#unknown);
    this.#projection.carry = state;
    return this.#projection;
  }

  damage(damage: Omit<Damage, 'place'>): void {
    this.#projection.damage.push({ place: this.input.source, ...damage });
    this.state.tally.damaged++;
    this.#touched.add(this.state.tally);
  }

  record(entry: Entry, place: LinePlace): void {
    const type = nameOf(entry['type']);
    const key = nameOf(entry['uuid']);
    if (type === null) return this.#count('a line without a type');
    if (key === null && !chainTypes.has(type)) {
      const pointer = this.#plain.take(type, entry, place.at);
      if (pointer === 'unknown') this.#count(typeName(type, entry));
      else if (pointer) this.#projection.records.push(this.#pointerRecord(pointer, place));
      this.#touched.add(this.state.tally);
      this.state.interleaved = true;
      return;
    }
    this.#chainLine(type, key, entry, place);
  }

  #chainLine(type: string, key: string | null, entry: Entry, place: LinePlace): void {
    const { state } = this;
    const time = timeOf(entry['timestamp']);
    const parent = nameOf(entry['parentUuid']);
    if (state.native === null) state.native = agentNative(nameOf(entry['sessionId']) ?? 'unknown', this.place.agent ?? '');
    const chain = this.place.kind === 'transcript' && entry['isSidechain'] === true && key !== null ? this.#sidechains.chainOf(key, parent, entry) : null;
    const tally = chain?.tally ?? state.tally;
    const session = chain ? this.#sidechains.nativeOf(chain) : this.#native;
    this.#touched.add(tally);
    seeEnvelope(tally, entry, time);
    const shown = this.#show(type, key ?? `line ${place.at}`, entry, time, tally);
    const recordType = typeName(type, entry);
    if (!isKnown(type, recordType)) this.#count(recordType);
    for (const part of shown.parts) {
      const strange = strangeIn(part);
      if (strange !== null) this.#count(`${recordType}/${strange}`);
    }
    if (!chain) {
      if (key !== null) this.#plain.seeKey(key, parent);
      this.#seeOwn(type, key, parent, entry, place, shown, tally);
    }
    this.#projection.records.push({
      session: nativeId(session), key, parent: key === null ? undefined : parent, joins: nameOf(entry['logicalParentUuid']), type: recordType, time, at: place.at, bytes: place.bytes,
      message: shown.message, parts: shown.parts, results: shown.results, note: shown.note, order: null,
    });
  }

  /** What a line of the file's own session means for turns, copies, subagents and todos. */
  #seeOwn(type: string, key: string | null, parent: string | null, entry: Entry, place: LinePlace, shown: Shown, tally: Tally): void {
    const { state } = this;
    const kind = turnKind(type, entry, shown);
    if (kind !== null && key !== null) {
      state.turn = key;
      if (this.place.kind === 'transcript') this.#prove(this.#native, `turn:${key}`, { n: place.at, parent: nameOf(entry['logicalParentUuid']) ?? parent, kind });
    }
    this.#markCopy(type, entry, shown, tally);
    if (type === 'attachment') this.#seeInstructions(entry, key, place.at);
    for (const part of shown.parts) {
      if (part.tool?.family === 'subagent' && part.tool.callId !== null) this.#sidechains.seeCall(part.tool.callId, inputOf(entry, part.block));
      if (part.tool) this.#seeMemory(memoryTouch(part, inputOf(entry, part.block), key, place.at));
      if (part.tool?.name === 'TodoWrite') this.#seeTodos(inputOf(entry, part.block), place.at);
    }
    for (const result of shown.results) {
      const task = this.#sidechains.seeResult(result.callId);
      const agent = startedAgent(entry, task && result.text);
      const owner = ownerOf(entry) ?? this.place.session;
      if (agent === null || owner === null) continue;
      this.#prove(agentNative(owner, agent), 'spawn', { call: result.callId, parent: this.place.kind === 'transcript' ? owner : this.#native, description: task?.description ?? null });
    }
  }

  /**
   * Marks what was copied from another session, and what was surely written here: a line of bookkeeping between two of
   * the conversation is never copied (FORMAT.md, "Copies"). `lineage` tells the original by it.
   */
  #markCopy(type: string, entry: Entry, shown: Shown, tally: Tally): void {
    const { state } = this;
    const interleaved = state.interleaved && state.links > 0;
    state.interleaved = false;
    state.links++;
    if (this.place.kind !== 'transcript' || !shown.message || (type !== 'user' && type !== 'assistant')) return;
    const source = copySource(entry, this.place.session);
    if (source) {
      tally.copiedFrom = source;
      noted(shown, { filed: 0 });
    } else if (type === 'assistant' && entry['requestId'] === undefined && shown.message.counted) {
      noted(shown, { filed: 0 });
    } else if (interleaved) {
      noted(shown, { filed: shown.message.time ?? 1 });
    }
  }

  #show(type: string, key: string, entry: Entry, time: number | null, tally: Tally): Shown {
    switch (type) {
      case 'user':
        return this.#showUser(key, entry, time, tally);
      case 'assistant': {
        const shown = showAssistant(entry, key, time);
        if (shown.message?.model) seeModel(tally, shown.message.model);
        if (shown.message?.counted) tally.answers++;
        if (shown.message && this.#repeated.isRepeated(entry, shown.message.key, key)) shown.parts = [];
        return shown;
      }
      case 'attachment': {
        const shown = showAttachment(entry, key, time);
        if (shown.message?.prompt) this.#seePrompt(tally, textOf(shown.parts[0]?.text) ?? '');
        return shown;
      }
      case 'system': {
        const shown = showSystem(entry, key, time);
        if (entry['subtype'] === 'compact_boundary') tally.summaries++;
        if (shown.parts[0]?.kind === 'command') tally.commands++;
        return shown;
      }
      case 'progress':
        return { ...showsNothing, note: { unsent: true } };
      default: {
        const text = textOf(entry['content']);
        const title = oneLine(`unknown record: ${type}`);
        return {
          message: { key, role: 'system', time, model: null, agentName: null, counted: false, prompt: false, tokens: null },
          parts: [{ block: 0, kind: 'notice', title, text, size: text?.length ?? 0, injected: true }], results: [], note: { unsent: true },
        };
      }
    }
  }

  #showUser(key: string, entry: Entry, time: number | null, tally: Tally): Shown {
    const content = entryOf(entry['message'])?.['content'];
    const kind = userKind(entry, content);
    const parts = userParts(entry, content, kind);
    const results = kind === 'result' ? resultsOf(entry, content) : [];
    const isStrange = parts.length > 0 && parts.every((part) => strangeIn(part) !== null);
    const isPrompt = kind === 'prompt' && parts.length > 0 && !isStrange;
    // What opens a subagent was written by the model that called it: it counts, but nobody typed it.
    const isTyped = isPrompt && this.place.kind === 'transcript' && entry['isSidechain'] !== true;
    const note: JsonObject = {};
    if (results.length > 0) note['results'] = results.map((result) => result.callId);
    if (results.length > 0 && loadsTools(content)) note['loads'] = true;
    if (kind === 'summary') {
      note['summary'] = true;
      const direction = nameOf(entryOf(entry['summarizeMetadata'])?.['direction']);
      if (direction !== null) note['direction'] = direction;
      tally.summaries++;
    }
    if (kind === 'interrupt') note['interrupt'] = true;
    // Nothing that the program could have sent.
    if (isStrange && results.length === 0) note['unsent'] = true;
    if (isPrompt && !isTyped) note['task'] = true;
    if (kind === 'command' || kind === 'shell') tally.commands++;
    if (isPrompt) this.#seePrompt(tally, firstText(content));
    tally.text ??= parts[0]?.kind === 'command' ? oneLine(parts[0].text ?? '') : null;
    return {
      message: parts.length > 0 ? { key, role: 'user', time, model: null, agentName: null, counted: isPrompt, prompt: isTyped, tokens: null } : null,
      parts, results, note: Object.keys(note).length > 0 ? note : null,
    };
  }

  #seePrompt(tally: Tally, text: string): void {
    tally.prompts++;
    tally.prompt ??= nameOf(oneLine(text));
  }

  #seeTodos(input: Entry, n: number): void {
    const todos = listOf(input['todos']).filter(isEntry).map((todo) => ({ content: textOf(todo['content']) ?? '', status: textOf(todo['status']) ?? 'pending', priority: textOf(todo['priority']) }));
    this.#prove(this.#native, `todos:${this.state.turn ?? ''}`, { n, todos });
  }

  #seeMemory(touch: MemoryTouch | null): void {
    if (touch) this.#prove(this.#native, `${memorySlot}${touch.folder} ${touch.at}.${touch.block}`, touch);
  }

  #seeInstructions(entry: Entry, key: string | null, at: number): void {
    const files = instructionFiles(entryOf(entry['attachment']));
    if (files.length > 0) this.#prove(this.#native, `${instructionsSlot}${at}`, { key, at, block: 0, files } satisfies RecordedInstructions);
  }

  #pointerRecord(note: JsonObject, place: LinePlace): RecordFact {
    return {
      session: nativeId(this.#native), key: null, parent: undefined, joins: null, type: 'last-prompt', time: null, at: place.at, bytes: place.bytes,
      message: null, parts: [], results: [], note, order: null,
    };
  }

  get #native(): string {
    return this.state.native ?? agentNative('unknown', this.place.agent ?? '');
  }

  #prove(session: string, slot: string, data: JsonObject): void {
    this.#evidence.set(`${session} ${slot}`, { session: nativeId(session), slot, data });
  }

  #count(type: string): void {
    this.#unknown.set(type, (this.#unknown.get(type) ?? 0) + 1);
  }
}
