import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nativeId } from '@shared/model';
import type { Draft, FileContent, FileStep, ForkChoices, Making, SessionToWrite, WritePoint, WriteRefusal } from '../../store';
import { asJsonObject, asText, type Fields } from '../../foreign/fields';
import { isPlainId } from '../ids';
import { JsonLayout } from '../json-layouts';
import { forkTitle } from '../lineage';
import { placeOf, rankOf } from '../places';
import { messageData, namesFor, type NewNames, partData } from './copies';
import { usualDatabase } from './database';
import { type Kept, keptOf } from './kept';
import { leftOut } from './limits';
import { newSlug } from './new-ids';
import { todosAt } from './todos';

/**
 * The JSON layout a session lies in; null: it lies in a database. One that is not in the store (an import, whose records
 * have the form of files; one that was deleted) goes into the database where there is one: OpenCode of today reads no files.
 */
export function layoutOf({ location, spine, isLive }: SessionToWrite): JsonLayout | null {
  if (!isLive && usualDatabase(location.folder) !== null) return null;
  const [place] = spine.evidence.map(({ source }) => placeOf(source)).sort((a, b) => rankOf[a.layout] - rankOf[b.layout]);
  return !place || place.layout === 'database' ? null : new JsonLayout(location.folder, place);
}

/** A fork as new files beside those of its source (FORMAT.md, "Writing"). */
export function forkByFiles(session: SessionToWrite, point: WritePoint, choices: ForkChoices, making: Making): Draft | WriteRefusal {
  const layout = layoutOf(session);
  if (!layout) return { refused: 'The session lies in a database.' };
  const file = layout.sessions().get(session.native);
  const original = file === undefined ? null : asJsonObject(textOf(file));
  const project = file === undefined ? asText(session.facts.own?.['project']) : basename(dirname(file));
  if (layout.place.layout === 'second' && (project === null || !isPlainId(project))) return { refused: 'It is not known in which project’s folder OpenCode kept this session.' };
  const kept = keptOf(session, point);
  const names = namesFor(kept, making);
  const step = (path: string, content: FileContent, why: string): FileStep => ({ kind: 'file', path, within: session.location.folder, before: { state: 'absent' }, after: { content }, mode: 0o644, why });
  const todos = todosAt(session, point, kept);
  const todoFile = layout.todoFile(names.session);
  const isHidden = session.facts.notices.some(({ text }) => text.startsWith('OpenCode does not show this session any more'));
  return {
    way: `New files in ${layout.place.name}, where this session lies: an older OpenCode keeps a file for each session, message and part.`,
    steps: [
      ...filesOf(session, kept, names, layout).map(({ path, content, why }) => step(path, content, why)),
      ...(todoFile !== null && todos.length > 0 ? [step(todoFile, json(todos.map(({ content, status, priority }, at) => ({ content, status, priority: priority ?? 'medium', id: String(at + 1) }))), 'The list of todos.')] : []),
      // Last, so that the session is seen when all of it is there.
      step(layout.sessionFile(names.session, project ?? ''), json(sessionObject({ session, original, layout, names, choices, making })), 'The session itself.'),
      { kind: 'library', fact: { type: 'lineage', child: nativeId(names.session), parent: session.native, after: kept.messages.at(-1)?.key ?? null }, does: `Remembers that the fork comes from ${session.native}.` },
    ],
    limits: [
      ...leftOut(kept),
      ...(isHidden ? ['OpenCode of today reads its database only: the fork is seen by the version that kept sessions in such files.'] : []),
      'These files have no place for a mark of its origin: only Retrace’s library keeps it.',
    ],
    session: nativeId(names.session),
  };
}

function filesOf({ record }: SessionToWrite, { messages, cleared }: Kept, names: NewNames, layout: JsonLayout): { path: string; content: FileContent; why: string }[] {
  return messages.flatMap(({ key, record: own, parts }) => {
    const message = names.messages.get(key) ?? '';
    return [
      ...parts.map((part) => ({
        path: join(layout.partFolder(names.session, message), `${names.parts.get(part.key ?? '') ?? ''}.json`),
        content: copied(() => partData(record(part.index), names, cleared.has(part.key ?? ''))), why: `Copy of part ${part.key ?? ''}.`,
      })),
      { path: join(layout.messageFolder(names.session), `${message}.json`), content: copied(() => messageData(record(own.index), names)), why: `Copy of message ${key}.` },
    ];
  });
}

interface SessionObjectOf {
  session: SessionToWrite;
  original: Fields | null;
  layout: JsonLayout;
  names: NewNames;
  choices: ForkChoices;
  making: Making;
}

/** What the program of that time wrote for a session; of the first layout without folder and project. */
function sessionObject({ session: { facts }, original, layout, names, choices, making }: SessionObjectOf): Fields {
  const title = choices.title ?? forkTitle(asText(original?.['title']) ?? facts.title ?? 'New session');
  const version = asText(original?.['version']) ?? facts.agentVersion ?? '';
  const time = { created: making.now, updated: making.now };
  if (layout.place.layout === 'first') return { id: names.session, version, title, time };
  const projectID = asText(original?.['projectID']) ?? asText(facts.own?.['project']);
  const directory = choices.directory ?? asText(original?.['directory']) ?? facts.directory;
  return { id: names.session, slug: newSlug(making.random), version, ...(projectID === null ? {} : { projectID }), ...(directory === null ? {} : { directory }), title, time };
}

/** As the program writes its files. */
const written = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, null, 2));

function json(value: unknown): FileContent {
  const bytes = written(value);
  return { size: bytes.length, pieces: () => [bytes] };
}

/** Made when it is asked for: a session has as many files as parts. */
const copied = (text: () => string): FileContent => ({ size: null, pieces: () => [written(JSON.parse(text()))] });

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
