import { existsSync } from 'node:fs';
import type { KnownSources, SessionHead, SourceChange, StoreLocation, Survey } from '../store';
import { cursorOf, isUnchanged, isWithdrawn } from './cursor';
import { headOf } from './heads';
import { type ListedFile, listStore, refusalAt } from './listing';
import { placeOf } from './places';

/** Lists what is new by names and `stat`; only transcripts that nobody has read yet are looked into, at their two ends. */
export function survey(location: StoreLocation, known: KnownSources): Survey {
  if (!existsSync(location.folder)) {
    return { changes: [], heads: [], gone: [], damage: [], problem: `The folder ${location.folder} is not there, or may not be looked at.` };
  }
  const refusal = refusalAt(location.folder);
  if (refusal !== null) return { changes: [], heads: [], gone: [], damage: [], problem: `The folder ${location.folder} may not be looked into: ${refusal}.` };
  const { files, closed, damage } = listStore(location.folder);
  const changes: SourceChange[] = [];
  const unread: ListedFile[] = [];
  const metas = new Map<string, ListedFile>();
  const present = new Set<string>();
  for (const file of files) {
    present.add(file.key);
    if (file.place.kind === 'meta') metas.set(file.key, file);
    const cursor = cursorOf(known.get(file.key)?.cursor ?? null);
    if (cursor && isUnchanged(cursor, file.stat)) continue;
    changes.push({ key: file.key, changed: file.stat.mtimeMs, bytes: Math.max(0, file.stat.size - (cursor?.offset ?? 0)), handle: file });
    if (!cursor && (file.place.kind === 'transcript' || file.place.kind === 'agent')) unread.push(file);
  }
  changes.sort((a, b) => b.changed - a.changed);
  unread.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
  const changeOf = new Map(changes.map((change) => [change.key, change]));
  const heads: SessionHead[] = [];
  for (const file of unread) {
    const head = headOf(file, metas.get(file.key.replace(/\.jsonl$/, '.meta.json')));
    if (!head) continue;
    heads.push(head);
    const change = changeOf.get(file.key);
    if (change) change.head = head.native;
  }
  const missing = [...known.keys()].filter((key) => !present.has(key) && !closed.some((prefix) => key === prefix || key.startsWith(`${prefix}/`)));
  const titles = new Set(missing.filter((key) => isTitleOf(key, present)));
  for (const key of titles) if (!isWithdrawn(cursorOf(known.get(key)?.cursor ?? null))) changes.push({ key, changed: Number.MAX_SAFE_INTEGER, bytes: 0, handle: null });
  return { changes, heads, gone: missing.filter((key) => !titles.has(key)), damage, problem: null };
}

/** A title file whose transcript is there: gone alone, it was taken away (a rename was undone), and its title with it. */
function isTitleOf(key: string, present: ReadonlySet<string>): boolean {
  return placeOf(key)?.kind === 'title' && present.has(`${key.slice(0, key.lastIndexOf('/'))}.jsonl`);
}
