import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Deletions } from '@shared/model';
import { namesIn } from '../stores/foreign/names';
import { count, grouped, listed } from '../stores/foreign/said';
import type { Retention } from '../stores/store';

/** Transcripts whose time of deletion is told. */
const nextTold = 20;
const day = 86_400_000;

/** A transcript as the library has it: where it lies in the store's folder, and how many bytes of it were read. */
interface KnownFile {
  file: string;
  length: number;
}

interface FileFact {
  size: number;
  changed: number;
}

function factOf(file: string): FileFact | null {
  try {
    const { size, mtimeMs } = statSync(file);
    return { size, changed: mtimeMs };
  } catch {
    return null;
  }
}

/** Transcripts on disk against what the library has of them. They are looked at, never opened. */
export function compareFiles(folder: string, known: readonly KnownFile[], retention: Retention | null, now: number): { notices: string[]; deletions: Deletions | null } {
  const missing: string[] = [];
  const longer: string[] = [];
  const ends: { file: string; time: number }[] = [];
  let unread = 0;
  for (const { file, length } of known) {
    const fact = factOf(join(folder, file));
    if (fact === null) {
      missing.push(file);
      continue;
    }
    if (fact.size > length) {
      longer.push(file);
      unread += fact.size - length;
    }
    if (retention) ends.push({ file, time: fact.changed + retention.days * day });
  }
  const notices = [
    ...(missing.length > 0 ? [`${count(missing.length, 'file')} that the library has ${missing.length === 1 ? 'is' : 'are'} not on disk any more: ${listed(missing)}. The next pass marks what stood there as gone.`] : []),
    ...(longer.length > 0 ? [`${count(unread, 'byte')} of ${count(longer.length, 'file')} ${unread === 1 ? 'is' : 'are'} not in the library (written since, or a line without an end): ${listed(longer)}.`] : []),
  ];
  return { notices, deletions: retention === null || ends.length === 0 ? null : deletionsOf(ends, retention, now) };
}

function deletionsOf(ends: { file: string; time: number }[], { days, from }: Retention, now: number): Deletions {
  const later = ends.filter(({ time }) => time > now).sort((a, b) => a.time - b.time || (a.file < b.file ? -1 : 1));
  return {
    days, from, transcripts: ends.length, due: ends.length - later.length,
    next: later.slice(0, nextTold).map(({ file, time }) => ({ file, time: new Date(time).toISOString() })),
  };
}

/** When an agent deletes transcripts, as a sentence. */
export function sayDeletions({ days, from, transcripts, due, next }: Deletions): string {
  const rule = `The agent deletes transcripts ${count(days, 'day')} after their last change (${from === 'default' ? 'its default' : `set in ${from}`})`;
  const first = next[0]?.time.slice(0, 10);
  const facts = [
    ...(due > 0 ? [`${grouped.format(due)} of ${grouped.format(transcripts)} ${due === 1 ? 'is' : 'are'} due now`] : []),
    ...(first === undefined ? [] : [transcripts === 1 ? `1 transcript is due on ${first}` : `the ${due > 0 ? 'next' : 'first'} of ${count(transcripts, 'transcript')} is due on ${first}`]),
  ];
  return `${rule}: ${facts.join(', ')}. The library keeps what it has read.`;
}

/** Write-ahead logs beside the databases of a store: changes that do not stand in the database file yet. */
export function sayWriteAheadLogs(folder: string, isOwn = true): string[] {
  const place = isOwn ? '' : `${folder}/`;
  const names = new Set(namesIn(folder));
  return [...names].sort().flatMap((name) => {
    if (!name.endsWith('-wal') || !names.has(name.slice(0, -4))) return [];
    const size = factOf(join(folder, name))?.size ?? 0;
    return size === 0 ? [] : [`${place}${name} holds ${count(size, 'byte')} beside ${name.slice(0, -4)}: changes that may not stand in the database file itself yet. They are read with it.`];
  });
}
