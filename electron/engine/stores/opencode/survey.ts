import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Damage, nativeId } from '@shared/model';
import type { KnownSources, SessionHead, SourceChange, StoreLocation, Survey } from '../store';
import { readCopyCursor, readOutputCursor, readSessionCursor } from './cursors';
import type { Refusal } from '../foreign/database';
import { type JsonLayout, jsonLayouts, lastMade } from './json-layouts';
import { Look } from './look';
import { namesIn } from '../foreign/names';
import { databasesOf, outputFolder, placeOf, rankOf, type Place, sessionOf, sourceKey } from './places';
import type { Handle } from './read';
import { asFilledText, asJsonObject, asObject, asText } from '../foreign/fields';
import { asTime } from './records';
import { filesStamp } from './session-files';
import { stampOf, statOf } from '../foreign/stamps';
import { type DatabaseSurvey, isQuiet, surveyDatabase } from './survey-database';

/** Milliseconds after its last change for which a JSON session may still be written to: its files change without any folder showing it. */
const liveAtMost = 24 * 3_600_000;

/** Looks what there is and what of it is new: in proportion to the number of sessions, never to their size. */
export function survey({ folder }: StoreLocation, known: KnownSources): Survey {
  let problem: string | null = null;
  namesIn(folder, (_, reason) => (problem = `The folder ${folder} may not be looked into: ${reason}.`));
  return problem === null ? new Surveyor(folder, known).survey() : { changes: [], heads: [], gone: [], damage: [], problem };
}

interface JsonSession {
  layout: JsonLayout;
  file: string;
}

class Surveyor {
  readonly #look: Look;
  readonly #names: string[];
  readonly #json: { layout: JsonLayout; sessions: Map<string, string> }[];
  readonly #changes: SourceChange[] = [];
  readonly #heads: SessionHead[] = [];
  readonly #damage: Damage[] = [];
  readonly #problems: string[] = [];
  /** Sources that are there. */
  readonly #present = new Set<string>();
  /** Databases that are there and could not be read: what the library has of them stays. */
  readonly #refused = new Set<string>();
  /** Databases whose list of sessions could be read in part only: one that is not in it is not taken for gone. */
  readonly #partial = new Set<string>();
  /** Folders below that may not be looked into, with the reason. */
  readonly #closed = new Map<string, string>();

  constructor(
    readonly folder: string,
    readonly known: KnownSources,
  ) {
    this.#look = new Look(folder);
    this.#names = databasesOf(folder);
    this.#json = jsonLayouts(folder, (place, reason) => this.#closed.set(place, reason)).map((layout) => ({ layout, sessions: layout.sessions() }));
    for (const { layout } of this.#json) for (const [place, reason] of layout.refused) this.#closed.set(place, reason);
  }

  survey(): Survey {
    const quiet = this.#names.map((name) => isQuiet(this.folder, name, this.known));
    if (quiet.every((cursor) => cursor !== null) && this.#jsonIsQuiet()) {
      quiet.forEach((cursor, index) => cursor.problem && this.#problem(this.#names[index] as string, { kind: 'partial', reason: cursor.problem }));
      for (const key of this.known.keys()) if (!key.startsWith(`${outputFolder}/`) && this.#isStillNamed(key)) this.#present.add(key);
    } else {
      this.#surveyAll();
    }
    this.#surveyOutputs();
    for (const [place, reason] of this.#closed) this.#damage.push({ place: relative(this.folder, place).replaceAll('\\', '/'), line: null, at: null, bytes: null, reason: `cannot be looked into: ${reason}` });
    if (this.#changes.length === 0) this.#look.close();
    return { changes: this.#changes, heads: this.#heads, gone: this.#gone(), damage: this.#damage, problem: this.#problems.join(' ') || null };
  }

  #surveyAll(): void {
    const surveys = this.#names.map((name) => this.#surveyDatabase(name)).filter((found) => found !== null);
    const winners = this.#winners(surveys);
    const severalTimes = repeatedSessions(this.known);
    for (const found of surveys) {
      for (const row of found.sessions.values()) {
        const place: Place = { layout: 'database', name: found.name };
        const winner = winners.get(row.id) ?? place;
        if (winner.name !== place.name) this.#addCopy(place, row.id, winner, row.updated);
        else if (found.candidates.has(row.id) || (severalTimes.has(row.id) && !readSessionCursor(this.known.get(sourceKey(place, row.id))?.cursor))) {
          const head = found.headOf(row.id);
          if (head) this.#heads.push(head);
          this.#add(sourceKey(place, row.id), row.updated, this.known.get(sourceKey(place, row.id)) ? 0 : found.share, { kind: 'rows', look: this.#look, database: found.name, session: row.id });
        } else this.#present.add(sourceKey(place, row.id));
      }
      // Last of all: it remembers that what was found above was read.
      this.#add(found.name, 0, 0, { kind: 'database', look: this.#look, name: found.name, cursor: found.cursor });
    }
    for (const { layout, sessions } of this.#json) for (const [id, file] of sessions) this.#surveyFiles(id, { layout, file }, winners.get(id) ?? layout.place);
  }

  #surveyDatabase(name: string): DatabaseSurvey | null {
    const { survey: found, refusal } = surveyDatabase(this.#look, name, this.known);
    if (!found) {
      if (refusal.kind === 'missing') return null;
      this.#refused.add(name);
      this.#problem(name, refusal);
      return null;
    }
    if (found.isPartial) this.#partial.add(name);
    if (found.cursor.problem) this.#problem(name, { kind: 'partial', reason: found.cursor.problem });
    return found;
  }

  /** Where each session is read: the newest layout; of several databases the one that was written last. */
  #winners(surveys: DatabaseSurvey[]): Map<string, Place> {
    const best = new Map<string, { place: Place; updated: number }>();
    const offer = (id: string, place: Place, updated: number) => {
      const other = best.get(id);
      const rank = other ? rankOf[place.layout] - rankOf[other.place.layout] : -1;
      if (rank < 0 || (rank === 0 && updated > (other?.updated ?? 0))) best.set(id, { place, updated });
    };
    for (const { name, sessions } of surveys) for (const row of sessions.values()) offer(row.id, { layout: 'database', name }, row.updated);
    // A database that is only busy now still has what it had, and so has one whose list cannot be read to its end.
    for (const key of this.#refused.size + this.#partial.size > 0 ? this.known.keys() : []) {
      const place = placeOf(key);
      const id = sessionOf(key);
      if (id !== null && place.layout === 'database' && this.#mayHave(place.name)) offer(id, place, 0);
    }
    for (const { layout, sessions } of this.#json) for (const id of sessions.keys()) offer(id, layout.place, 0);
    return new Map([...best].map(([id, { place }]) => [id, place]));
  }

  #surveyFiles(id: string, { layout, file }: JsonSession, winner: Place): void {
    if (winner.name !== layout.place.name) return this.#addCopy(layout.place, id, winner, 0);
    const key = sourceKey(layout.place, id);
    if (!this.#filesDiffer(key, id, { layout, file })) return void this.#present.add(key);
    const { head, bytes } = headOf(id, layout, file);
    this.#heads.push(head);
    this.#add(key, head.updated ?? 0, bytes, { kind: 'files', look: this.#look, layout, session: id, file, hidden: this.#names.length > 0 });
  }

  #filesDiffer(key: string, id: string, { layout, file }: JsonSession): boolean {
    const cursor = readSessionCursor(this.known.get(key)?.cursor);
    if (!cursor || cursor.files !== filesStamp(layout, id, file)) return true;
    return Object.keys(cursor.torn).length > 0 || Math.max(cursor.message.at, cursor.part.at) > Date.now() - liveAtMost;
  }

  #jsonIsQuiet(): boolean {
    const listed = new Set<string>();
    for (const { layout, sessions } of this.#json) {
      for (const [id, file] of sessions) {
        const key = sourceKey(layout.place, id);
        listed.add(key);
        if (!readCopyCursor(this.known.get(key)?.cursor) && this.#filesDiffer(key, id, { layout, file })) return false;
      }
    }
    for (const key of this.known.keys()) if (sessionOf(key) !== null && placeOf(key).layout !== 'database' && !listed.has(key)) return false;
    return true;
  }

  #isStillNamed(key: string): boolean {
    const place = placeOf(key);
    return place.layout !== 'database' || this.#names.includes(place.name);
  }

  /** A session that is read elsewhere: only that it lies here too is told. */
  #addCopy(place: Place, session: string, winner: Place, updated: number): void {
    const key = sourceKey(place, session);
    const copy = `${place.name} beside ${winner.name}`;
    if (readCopyCursor(this.known.get(key)?.cursor)?.copy === copy) return void this.#present.add(key);
    this.#add(key, updated, 0, { kind: 'copy', look: this.#look, place, session, copy });
  }

  /** Saved tool output is taken into the log before the program deletes it after seven days. */
  #surveyOutputs(): void {
    for (const name of namesIn(join(this.folder, outputFolder), (place, reason) => this.#closed.set(place, reason))) {
      const path = join(this.folder, outputFolder, name);
      const stats = statOf(path);
      if (!stats?.isFile()) continue;
      const key = `${outputFolder}/${name}`;
      const stamp = stampOf(path) ?? '';
      if (readOutputCursor(this.known.get(key)?.cursor) === stamp) this.#present.add(key);
      else this.#add(key, stats.mtimeMs, stats.size, { kind: 'output', look: this.#look, path, stamp });
    }
  }

  #add(key: string, changed: number, bytes: number, handle: Handle): void {
    this.#present.add(key);
    if (handle.kind !== 'database') this.#look.unread.add(key);
    this.#changes.push({ key, changed, bytes, handle });
  }

  #gone(): string[] {
    const isRefused = (key: string) => this.#refused.has(key) || (sessionOf(key) !== null && this.#mayHave(placeOf(key).name));
    const closed = [...this.#closed.keys()].map((place) => relative(this.folder, place).split(/[\\/]/));
    // Which folder of a layout a session lay in is not known any more: none of the layout's is taken for gone.
    const isClosed = (key: string) => closed.some((steps) => (steps[0] === 'project' ? key.startsWith(steps.length === 1 ? 'project/' : `project/${steps[1]}/`) : key.startsWith(`${steps[0]}/`)));
    return [...this.known.keys()].filter((key) => !this.#present.has(key) && !isRefused(key) && !isClosed(key));
  }

  /** What is not found in this database is not gone from it: it could not be read, or not all of it. */
  #mayHave(name: string): boolean {
    return this.#refused.has(name) || this.#partial.has(name);
  }

  #problem(name: string, { kind, reason }: Refusal | { kind: 'partial'; reason: string }): void {
    const sentence = {
      busy: `${name}: the store is busy (${reason}); it is tried again.`,
      damaged: `${name} is damaged or not a database of OpenCode: ${reason}.`,
      partial: `${name} is damaged, what can be read of it is shown: ${reason}.`,
      denied: `${name} could not be opened: ${reason}.`,
      missing: `${name} is not there any more.`,
    }[kind];
    this.#problems.push(sentence);
    if (kind !== 'busy') this.#damage.push({ place: name, line: null, at: null, bytes: null, reason });
  }
}

/** Sessions of which the library knows more than one source; what was only named may have to be read now. */
function repeatedSessions(known: KnownSources): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const key of known.keys()) {
    const id = sessionOf(key);
    if (id === null) continue;
    if (seen.has(id)) twice.add(id);
    seen.add(id);
  }
  return twice;
}

/** What the session's own file says; the first layout keeps the folder in its replies only. */
function headOf(id: string, layout: JsonLayout, file: string): { head: SessionHead; bytes: number } {
  const read = (path: string) => {
    try {
      return asJsonObject(readFileSync(path, 'utf8'));
    } catch {
      return null;
    }
  };
  const info = read(file);
  const time = asObject(info?.['time']);
  const created = asTime(time?.['created']);
  const messages = layout.messages(id);
  const parent = asFilledText(info?.['parentID']);
  const hasParent = parent !== null && parent !== id;
  let directory = asFilledText(info?.['directory']);
  for (const message of directory === null ? lastMade(messages, 3, created ?? 0) : []) directory ??= asText(asObject(read(message.path)?.['path'])?.['root']);
  return {
    head: {
      native: nativeId(id), kind: hasParent ? 'subagent' : 'session', parent: hasParent ? nativeId(parent) : null, title: asFilledText(info?.['title']), directory,
      gitBranch: null, model: null, created, updated: asTime(time?.['updated']) ?? created, archived: asTime(time?.['archived']),
    },
    bytes: messages.reduce((sum, message) => sum + message.bytes, 0),
  };
}
