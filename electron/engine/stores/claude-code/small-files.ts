import type { Damage } from '@shared/model';
import { nativeId } from '@shared/model';
import type { EvidenceFact, JsonObject, ProjectInput, Projection } from '../store';
import { type Entry, isEntry, listOf, nameOf, numberOf, textOf } from './entry';
import { agentNative, type Place } from './places';

/**
 * Projects one of the small JSON files beside the transcripts. It comes in one piece, or, out of the log, in several:
 * then the pieces are held until they are a whole.
 */
export function projectSmallFile(input: ProjectInput, place: Place): Projection {
  const held = isEntry(input.carry) ? (textOf(input.carry['held']) ?? '') : '';
  const text = held + Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength).toString('utf8');
  const projection: Projection = { records: [], evidence: [], removed: [], damage: [], unknown: {}, carry: null };
  if (text.trim() === '') return projection;
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return { ...projection, damage: [unreadable(input, text)], carry: { held: text } };
  }
  return { ...projection, evidence: evidenceOf(value, place, input.source) };
}

const unreadable = (input: ProjectInput, text: string): Damage => ({ place: input.source, line: null, at: null, bytes: text.length, reason: 'not valid JSON' });

function evidenceOf(value: unknown, place: Place, source: string): EvidenceFact[] {
  switch (place.kind) {
    case 'todos':
      return place.session === null ? [] : [{ session: place.agent === null ? nativeId(place.session) : agentNative(place.session, place.agent), slot: 'todo file', data: { todos: todosOf(value) } }];
    case 'meta':
      return isEntry(value) && place.session !== null ? [{ session: agentNative(place.session, place.agent ?? ''), slot: 'meta', data: metaOf(value, place.session) }] : [];
    case 'title':
      return isEntry(value) && place.session !== null ? [{ session: nativeId(place.session), slot: 'title file', data: { title: nameOf(value['customTitle']) } }] : [];
    case 'task':
      return isEntry(value) && place.session !== null ? [{ session: nativeId(place.session), slot: `task:${source}`, data: taskOf(value) }] : [];
    case 'job':
      return isEntry(value) ? jobEvidence(value) : [];
    case 'transcript':
    case 'agent':
    case 'output':
    case 'memory':
      return [];
  }
}

function todosOf(value: unknown): JsonObject[] {
  return listOf(value).filter(isEntry).map((todo) => ({ content: textOf(todo['content']) ?? '', status: textOf(todo['status']) ?? 'pending', priority: textOf(todo['priority']) }));
}

/** What a subagent's meta file says: who it is, which call started it, and under whom it runs. */
function metaOf(meta: Entry, session: string): JsonObject {
  const parent = nameOf(meta['parentAgentId']);
  return {
    type: nameOf(meta['agentType']), description: nameOf(meta['description']), call: nameOf(meta['toolUseId']), model: nameOf(meta['model']),
    depth: numberOf(meta['spawnDepth']), parent: parent === null ? session : agentNative(session, parent),
  };
}

function taskOf(task: Entry): JsonObject {
  return {
    id: nameOf(task['id']) ?? String(numberOf(task['id']) ?? ''), subject: textOf(task['subject']) ?? '', status: textOf(task['status']) ?? 'pending',
    blockedBy: listOf(task['blockedBy']).filter((id): id is string => typeof id === 'string'),
  };
}

/** A background session that was forked from another one. */
function jobEvidence(job: Entry): EvidenceFact[] {
  const session = nameOf(job['forkSessionId']) ?? nameOf(job['sessionId']);
  const parent = nameOf(job['forkParentSessionId']);
  return session === null ? [] : [{ session: nativeId(session), slot: 'job', data: { parent, name: nameOf(job['name']) } }];
}
