import { type Draft, type ForkChoices, type JsonObject, type Making, type RowsStep, type RowValue, type SessionToWrite, type WritePoint, type WriteRefusal } from '../../store';
import { nativeId } from '@shared/model';
import { asJsonObject, asNumber, asObject, asText, type Fields } from '../../foreign/fields';
import { markedMetadata } from '../fork-mark';
import { forkTitle } from '../lineage';
import { readLine } from '../lines';
import { behind, databaseOf, findDatabase, type FoundDatabase, heldBy, usualDatabase } from './database';
import { messageData, namesFor, type NewNames, partData } from './copies';
import { dataText } from './data';
import { type Kept, keptOf, secondGeneration } from './kept';
import { leftOut } from './limits';
import { newSlug } from './new-ids';
import { todosAt } from './todos';

/** Why a fork by rows is not open, as far as can be told without looking into the database; null: it is. */
export function rowsRefused(session: SessionToWrite, point: WritePoint): string | null {
  const file = fileOf(session);
  return secondGeneration(session, point) ?? (file === null ? inFilesOnly : heldBy(file));
}

const inFilesOnly = 'The session lies in JSON files only.';

const fileOf = (session: SessionToWrite): string | null => databaseOf(session) ?? (session.isLive ? null : usualDatabase(session.location.folder));

function lookAt(session: SessionToWrite): FoundDatabase | string {
  const file = fileOf(session);
  if (file === null) return inFilesOnly;
  const held = heldBy(file);
  if (held !== null) return held;
  const found = findDatabase(file, session.native, asText(session.facts.own?.['project']));
  if (typeof found === 'string') return found;
  if (found.project === null) return noProject(session);
  // A session of the same id that the store has is another state of an import: nothing of its row is taken over.
  if (!session.isLive) return { ...found, session: null };
  return (found.session && behind(session, found)) ?? found;
}

/** A session belongs to a project, and its row is made by OpenCode alone. What id it has is told by the repository: in a clone it is the same. */
function noProject({ isLive, facts: { directory, own } }: SessionToWrite): string {
  if (isLive) return 'The database does not know the project of this session any more.';
  const where = asText(own?.['project']) === 'global' ? 'a folder that is no git repository' : `a checkout of it${directory === null ? '' : ` (it was ${directory} where the session was made)`}`;
  return `OpenCode’s database here does not know the project of this session. Start OpenCode once in ${where}, then continue.`;
}

/** A fork as one transaction of new rows (FORMAT.md, "Writing"). */
export function forkByRows(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Draft | WriteRefusal {
  const second = secondGeneration(session, point);
  const found = second ?? lookAt(session);
  if (typeof found === 'string') return { refused: found };
  const kept = keptOf(session, point);
  const names = namesFor(kept, making);
  const todos = todosAt(session, point, kept);
  const todoRows = todos.map(({ content, status, priority }, position) => ({
    session_id: names.session, content, status, priority: priority ?? 'medium', position, time_created: making.now, time_updated: making.now,
  }));
  const rows = rowsOf(session, kept, names, making.now);
  const own = sessionRow({ session, found, kept, names, choices, making });
  const inserts: RowsStep['inserts'] = [
    { table: 'session', key: ['id'], count: 1, rows: () => [own], references: found.references },
    { table: 'message', key: ['id'], count: kept.messages.length, rows: rows.messages },
    { table: 'part', key: ['id'], count: kept.messages.reduce((sum, { parts }) => sum + parts.length, 0), rows: rows.parts },
    { table: 'todo', key: ['session_id', 'position'], count: todoRows.length, rows: () => todoRows },
  ];
  const last = kept.messages.at(-1)?.key ?? null;
  return {
    way: 'New rows in OpenCode’s database: no program has it open, and every column of its tables is known.',
    steps: [
      {
        kind: 'rows', database: found.file, within: session.location.folder, schema: found.schema, expects: found.state,
        inserts: inserts.filter(({ count }) => count > 0), why: 'The fork: a session, and copies of messages and parts under new ids.',
      },
      { kind: 'library', fact: { type: 'lineage', child: nativeId(names.session), parent: session.native, after: last }, does: `Remembers that the fork comes from ${session.native}.` },
    ],
    limits: [...leftOut(kept), ...('metadata' in own ? [] : ['This database has no place for a mark of its origin: only Retrace’s library keeps it.'])],
    session: nativeId(names.session),
  };
}

function rowsOf({ record }: SessionToWrite, { messages, cleared }: Kept, names: NewNames, now: number) {
  return {
    *messages(): Iterable<Record<string, RowValue>> {
      for (const message of messages) {
        const line = record(message.record.index);
        yield {
          id: names.messages.get(message.key) ?? '', session_id: names.session, time_created: createdOf(line) ?? message.record.time ?? now, time_updated: now,
          data: messageData(line, names),
        };
      }
    },
    *parts(): Iterable<Record<string, RowValue>> {
      for (const { key, parts } of messages) {
        for (const part of parts) {
          yield {
            id: names.parts.get(part.key ?? '') ?? '', message_id: names.messages.get(key) ?? '', session_id: names.session, time_created: now, time_updated: now,
            data: partData(record(part.index), names, cleared.has(part.key ?? '')),
          };
        }
      }
    },
  };
}

/** When a message was made, as its row says, or the message itself. */
function createdOf(line: Uint8Array): number | null {
  const row = readLine(line, 0)?.row;
  return asNumber(row?.['time_created']) ?? asNumber(asObject(asJsonObject(row?.['data'])?.['time'])?.['created']);
}

interface SessionRowOf {
  session: SessionToWrite;
  found: FoundDatabase;
  kept: Kept;
  names: NewNames;
  choices: ForkChoices;
  making: Making;
}

/** The fork's own row: what the program's fork copies, and nothing else (FORMAT.md, "Forks"). */
function sessionRow({ session, found, kept, names, choices, making }: SessionRowOf): Record<string, RowValue> {
  const { facts, native } = session;
  const original = found.session ?? {};
  const columns = found.schema['session'] ?? [];
  const title = choices.title ?? forkTitle(asText(original['title']) ?? facts.title ?? 'New session');
  const mark = { session: native, message: kept.messages.at(-1)?.key ?? null, self: names.session };
  const directory = choices.directory ?? asText(original['directory']) ?? facts.directory ?? asText(found.project?.['worktree']) ?? '';
  const row: Record<string, RowValue> = {
    id: names.session, project_id: asText(original['project_id']) ?? asText(found.project?.['id']) ?? '', workspace_id: asText(original['workspace_id']), parent_id: null,
    slug: newSlug(making.random), directory, path: pathOf(directory, original, found.project, choices), title,
    version: asText(original['version']) ?? facts.agentVersion ?? '1.2.0', metadata: JSON.stringify(markedMetadata(original['metadata'], mark)),
    ...figuresOf(session, kept), time_created: making.now, time_updated: making.now,
  };
  return Object.fromEntries(Object.entries(row).filter(([column]) => columns.includes(column)));
}

/** The folder relative to the worktree, as the program notes it; the same for a fork that stays where it was. */
function pathOf(directory: string, original: Fields, project: Fields | null, choices: ForkChoices): string | null {
  const path = asText(original['path']);
  if (choices.directory === undefined && Object.keys(original).length > 0) return path;
  if (choices.directory !== undefined) return path !== null && path !== '' && directory.endsWith(`/${path}`) ? path : '';
  const worktree = asText(project?.['worktree']) ?? '/';
  return directory === worktree ? '' : directory.startsWith(worktree.endsWith('/') ? worktree : `${worktree}/`) ? directory.slice(worktree.length).replace(/^\//, '') : null;
}

/** Sums over the copied replies: the program counts them for the fork once more. */
function figuresOf({ record }: SessionToWrite, { messages }: Kept): Record<string, RowValue> {
  const sums = { cost: 0, tokens_input: 0, tokens_output: 0, tokens_reasoning: 0, tokens_cache_read: 0, tokens_cache_write: 0 };
  for (const message of messages) {
    if (message.record.role !== 'assistant') continue;
    const data = asJsonObject(dataText(record(message.record.index))) ?? ({} as JsonObject);
    const tokens = asObject(data['tokens']);
    const cache = asObject(tokens?.['cache']);
    sums.cost += asNumber(data['cost']) ?? 0;
    sums.tokens_input += asNumber(tokens?.['input']) ?? 0;
    sums.tokens_output += asNumber(tokens?.['output']) ?? 0;
    sums.tokens_reasoning += asNumber(tokens?.['reasoning']) ?? 0;
    sums.tokens_cache_read += asNumber(cache?.['read']) ?? 0;
    sums.tokens_cache_write += asNumber(cache?.['write']) ?? 0;
  }
  return sums;
}
