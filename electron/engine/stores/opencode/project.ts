import type { Damage, NativeId } from '@shared/model';
import { type EvidenceFact, instructionsSlot, type Json, type JsonObject, memorySlot, type ProjectInput, type Projection, type RecordFact } from '../store';
import { epochEvidence, plainEvidence, projectEvidence, sessionEvidence, type Slots, todoEvidence, undoneEvidence } from './evidence';
import { timeOfId } from './ids';
import { epochInstructions } from './instructions';
import { type Line, readLines } from './lines';
import { messageFact, messageNote, messageParts, tokensOf } from './messages';
import { notesTouched } from './notepads';
import { notice } from './part-facts';
import { likelyRole, readPart } from './parts';
import { pluginPath } from '../omo/notepads';
import { placeOf, sessionOf } from './places';
import { readInput, readSecond } from './project-v2';
import { asFilledText, asJsonObject, asNumber, asObject, asText, asTexts, type Fields } from '../foreign/fields';
import { asTime, isFalseTime } from './records';

/** Rows in, facts out: pure, so that a later reader can read the log again. */
export function project(input: ProjectInput): Projection {
  const session = sessionOf(input.source);
  const empty: Projection = { records: [], evidence: [], removed: [], damage: [], unknown: {}, carry: input.carry };
  // A database as a whole, and saved tool output: bytes that bodies ask for, no records.
  if (session === null) return empty;
  const { lines, damage } = readLines(input.bytes, input.at);
  const reader = new Reader(session, placeOf(input.source).name, input.carry);
  for (const line of lines) reader.take(line);
  return { ...reader.projection(), damage: [...damage, ...reader.damage] };
}

/** The newest message that named its agent and model, so that older rows read again do not speak for the session. */
interface Last {
  time: number;
  agent: string | null;
  model: string | null;
  folder: string | null;
}

class Reader {
  readonly damage: Damage[] = [];
  readonly #records: RecordFact[] = [];
  readonly #evidence = new Map<string, EvidenceFact>();
  readonly #removed: Projection['removed'] = [];
  readonly #unknown: Record<string, number> = {};
  #last: Last | null;

  constructor(
    readonly session: NativeId,
    readonly place: string,
    carry: Json,
  ) {
    this.#last = lastOf(carry);
  }

  projection(): Omit<Projection, 'damage'> {
    return { records: this.#records, evidence: [...this.#evidence.values()], removed: this.#removed, unknown: this.#unknown, carry: this.#last ? { ...this.#last } : null };
  }

  take(line: Line): void {
    const { row } = line;
    switch (line.kind) {
      case 'message':
        return this.#message(line);
      case 'part':
        return this.#part(line);
      case 'v2':
        return this.#second(line);
      case 'input':
        return this.#input(line);
      case 'gone':
        return void this.#removed.push({ session: this.session, key: asText(row['id']) });
      case 'session':
        return this.#keep(sessionEvidence(row, 'row'));
      case 'info':
        return this.#keep(sessionEvidence(row, 'info'));
      case 'project':
        return this.#keep([{ slot: 'project', data: projectEvidence(row) }]);
      case 'todo':
        return this.#keep([{ slot: 'todo', data: todoEvidence(row) }]);
      case 'undone':
        return this.#keep([{ slot: 'undone', data: undoneEvidence(row) }]);
      case 'epoch':
        this.#keep([{ slot: 'epoch', data: epochEvidence(row) }]);
        return this.#seeInstructions(line);
      case 'helper':
        return this.#keep([{ slot: `helper ${asText(row['id'])}`, data: plainEvidence(row, ['id', 'finished']) }]);
      default:
        return this.#plain(line);
    }
  }

  #plain({ kind, row }: Line): void {
    const names = plainSlots[kind];
    if (names) this.#keep([{ slot: kind, data: plainEvidence(row, names) }]);
    else this.#count(`line/${kind}`);
  }

  #keep(slots: Slots): void {
    for (const { slot, data } of slots) this.#evidence.set(slot, { session: this.session, slot, data });
  }

  #count(type: string): void {
    this.#unknown[type] = (this.#unknown[type] ?? 0) + 1;
  }

  #message(line: Line): void {
    const key = asText(line.row['id']);
    if (key === null) return this.#damaged(line, 'message', 'without an id');
    const data = asJsonObject(line.row['data']);
    const times = [line.row['time_created'], asObject(data?.['time'])?.['created']];
    const time = asTime(times[0]) ?? asTime(times[1]);
    const odd: JsonObject = time === null && times.some(isFalseTime) ? { oddTime: true } : {};
    const order = time ?? (times.some(isFalseTime) ? this.#madeAt(key) : null);
    if (!data) {
      this.#damaged(line, 'message', 'its data is not a JSON object');
      const fact = messageFact(key, 'system', time);
      return this.#add(line, { key, type: 'message/damaged', time, order, message: fact, parts: [{ block: 0, ...notice('this message could not be read') }], note: { damaged: true, ...odd } });
    }
    const role = asText(data['role']);
    if (role !== 'user' && role !== 'assistant') this.#count(`message/${role}`);
    const model = asFilledText(data['modelID']) ?? asFilledText(asObject(data['model'])?.['modelID']);
    const agentName = asFilledText(data['agent']) ?? asFilledText(data['mode']);
    const isReply = role === 'assistant';
    if (data['summary'] !== true) this.#noteLast({ time: time ?? 0, agent: agentName, model, folder: asText(asObject(data['path'])?.['root']) });
    if (isReply && model !== null) this.#keep([{ slot: `model ${model}`, data: { model } }]);
    this.#add(line, {
      key, type: `message/${role ?? 'unknown'}`, time, order,
      message: {
        ...messageFact(key, role === 'user' || role === 'assistant' ? role : 'system', time), model: isReply ? model : null, agentName,
        tokens: isReply ? tokensOf(data['tokens']) : null,
      },
      parts: messageParts(data),
      note: { ...messageNote(key, data, asTime(line.row['time_updated']) ?? time), ...odd },
    });
  }

  #noteLast(last: Last): void {
    if (this.#last && last.time < this.#last.time) return;
    this.#last = { ...last, agent: last.agent ?? this.#last?.agent ?? null, model: last.model ?? this.#last?.model ?? null, folder: last.folder ?? this.#last?.folder ?? null };
    this.#keep([{ slot: 'last', data: { ...this.#last } }]);
  }

  #part(line: Line): void {
    const key = asText(line.row['id']);
    if (key === null) return this.#damaged(line, 'part', 'without an id');
    const { owner } = line;
    const data = asJsonObject(line.row['data']);
    const messageKey = asText(line.row['message_id']);
    const type = asText(data?.['type']);
    const role = owner?.role === 'user' || owner?.role === 'assistant' ? owner.role : likelyRole(type);
    const order = asTime(owner?.time) ?? (isFalseTime(owner?.time) ? this.#madeAt(messageKey ?? key) : null) ?? asTime(line.row['time_created']) ?? this.#madeAt(messageKey ?? key);
    // The figures stand on the message's own row; here only that the part belongs to it.
    const message = messageKey === null ? null : { ...messageFact(messageKey, role, asTime(owner?.time)), counted: owner !== null, prompt: role === 'user' && isTyped(data) };
    const orphan: JsonObject = owner === null ? { orphan: true } : {};
    if (!data) {
      this.#damaged(line, 'part', 'its data is not a JSON object');
      return this.#add(line, { key, type: 'part/damaged', time: null, order, message, parts: [{ block: 0, ...notice('this part could not be read') }], note: { damaged: true, ...orphan } });
    }
    const reading = readPart(data, owner);
    if (!reading.known) this.#count(`part/${type}`);
    if (type === 'patch') this.#checkpoint(key, messageKey, data, order);
    const touched = asTime(line.row['time_updated']);
    const note: JsonObject = { ...reading.note, ...orphan, ...(reading.note?.['open'] !== undefined && touched !== null ? { touched } : {}) };
    this.#seeNotes(line, key, reading.parts);
    this.#add(line, { key, type: `part/${type}`, time: reading.time, order, message, parts: reading.parts, note: Object.keys(note).length === 0 ? null : note });
  }

  /** Of a part whose message is not there only the ids tell a time. */
  #madeAt(id: string): number | null {
    return timeOfId(id, this.#last?.time ?? usualTime);
  }

  /** A patch names the tree of files before its step: a state that can be gone back to while the tree is kept. */
  #checkpoint(key: string, message: string | null, data: Fields, time: number | null): void {
    const tree = asText(data['hash']);
    if (tree !== null) this.#keep([{ slot: `checkpoint ${key}`, data: { tree, message, time, files: asTexts(data['files']) } }]);
  }

  #second(line: Line): void {
    const key = asText(line.row['id']);
    const data = asJsonObject(line.row['data']);
    if (key === null) return this.#damaged(line, 'session_message', 'without an id');
    const time = asTime(line.row['time_created']);
    if (!data) {
      this.#damaged(line, 'session_message', 'its data is not a JSON object');
      return this.#add(line, { key, type: 'v2/damaged', time, message: messageFact(key, 'system', time), parts: [{ block: 0, ...notice('this message could not be read') }], note: { damaged: true, seq: asNumber(line.row['seq']) } });
    }
    const reading = readSecond(key, asText(line.row['type']) ?? 'unknown', data, time, asNumber(line.row['seq']));
    if (!reading.known) this.#count(reading.type);
    if (reading.message?.role === 'assistant') {
      this.#noteLast({ time: time ?? 0, agent: reading.message.agentName, model: reading.message.model, folder: null });
      if (reading.message.model !== null) this.#keep([{ slot: `model ${reading.message.model}`, data: { model: reading.message.model } }]);
    }
    this.#seeNotes(line, key, reading.parts);
    this.#add(line, { key, type: reading.type, time, message: reading.message, parts: reading.parts, note: isFalseTime(line.row['time_created']) ? { ...reading.note, oddTime: true } : reading.note });
  }

  #input(line: Line): void {
    const key = asText(line.row['id']);
    if (key === null) return this.#damaged(line, 'session_input', 'without an id');
    const time = asTime(line.row['time_created']);
    this.#add(line, { key, time, ...readInput(key, line.row, time) });
  }

  #add(line: Line, fact: Pick<RecordFact, 'key' | 'type' | 'time' | 'message' | 'parts' | 'note'> & { order?: number | null }): void {
    this.#records.push({ session: this.session, parent: undefined, joins: null, at: line.at, bytes: line.bytes, results: [], ...fact, order: fact.order ?? fact.time });
  }

  /** A newer version of a row says anew what its calls touched. */
  #seeNotes(line: Line, key: string, parts: RecordFact['parts']): void {
    notesTouched(line, key, parts).forEach((touch, n) => this.#keep([{ slot: `${memorySlot}${pluginPath(touch.folder)} ${key}.${touch.block}.${n}`, data: touch }]));
  }

  #seeInstructions({ row, at }: Line): void {
    const files = epochInstructions(row);
    if (files.length > 0) this.#keep([{ slot: `${instructionsSlot}epoch`, data: { key: null, at, block: 0, files } }]);
  }

  #damaged(line: Line, table: string, reason: string): void {
    this.damage.push({ place: `${this.place} ${table} ${asText(line.row['id']) ?? ''}`.trim(), line: null, at: line.at, bytes: line.bytes, reason });
  }
}

/** In the years of the JSON layouts, to tell the wrap of ids apart where nothing else does. */
const usualTime = Date.UTC(2026, 0, 1);

/** A person's message is one that holds a text the program did not write, a file, or a command that is a subtask. */
const isTyped = (part: Fields | null): boolean => part?.['type'] === 'file' || part?.['type'] === 'subtask' || (part?.['type'] === 'text' && part['synthetic'] !== true);

/** Slots that are taken over name by name. */
const plainSlots: Record<string, readonly string[]> = {
  place: ['layout', 'name', 'hidden'],
  also: ['layout', 'name'],
  origin: ['events', 'logBegins', 'directory', 'project'],
  share: ['url', 'known'],
  copied: ['messages', 'begins'],
  caller: ['parent', 'message', 'part', 'call'],
};

function lastOf(carry: Json): Last | null {
  const fields = asObject(carry);
  const time = asNumber(fields?.['time']);
  return time === null ? null : { time, agent: asText(fields?.['agent']), model: asText(fields?.['model']), folder: asText(fields?.['folder']) };
}
