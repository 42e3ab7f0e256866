import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionToWrite } from '../../store';
import { nameOf } from '../entry';
import { entryIn } from '../readable';
import { namesIn, textOfEnd } from './on-disk';
import { runningPrograms } from './running';

/** Which release of the program works on the store, and how that is known. */
interface Release {
  version: string | null;
  from: string;
}

/** Project folders and transcripts looked at, and bytes of a transcript's end. */
const foldersLookedAt = 2_000;
const filesLookedAt = 20_000;
const endBytes = 64 * 1024;

/**
 * The release that wrote last in this store: what runs now says so itself, else the newest transcript's last lines do.
 * No program is started to ask: that would write into the store.
 */
export function releaseOf(session: SessionToWrite): Release {
  const running = runningPrograms(session.location.folder).find(({ state, version }) => state === 'alive' && version !== null)?.version;
  if (running) return { version: running, from: 'a Claude Code that runs now' };
  const newest = newestTranscript(session.location.folder);
  const written = newest === null ? null : versionIn(textOfEnd(newest, endBytes));
  if (written !== null) return { version: written, from: 'the newest transcript of the store' };
  return { version: session.facts.agentVersion, from: 'the session itself' };
}

function newestTranscript(root: string): string | null {
  let newest: { path: string; time: number } | null = null;
  let looked = 0;
  for (const folder of namesIn(join(root, 'projects')).slice(0, foldersLookedAt)) {
    for (const name of namesIn(join(root, 'projects', folder))) {
      if (!name.endsWith('.jsonl') || name.startsWith('agent-') || ++looked > filesLookedAt) continue;
      const path = join(root, 'projects', folder, name);
      const time = timeOf(path);
      if (time !== null && (newest === null || time > newest.time)) newest = { path, time };
    }
  }
  return newest?.path ?? null;
}

function timeOf(path: string): number | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size > 0 ? stat.mtimeMs : null;
  } catch {
    return null;
  }
}

function versionIn(text: string): string | null {
  for (const line of text.split('\n').reverse()) {
    const version = line.includes('"version"') ? nameOf(entryIn(Buffer.from(line))?.['version']) : null;
    if (version !== null && /^\d+\.\d+\.\d+/.test(version)) return version;
  }
  return null;
}

/** True when `version` is `least` or newer. */
export function isAtLeast(version: string | null, least: string): boolean {
  if (version === null) return false;
  const [have, want] = [version, least].map((text) => text.split('.').map((step) => Number.parseInt(step, 10) || 0));
  for (let at = 0; at < 3; at++) {
    const difference = (have?.[at] ?? 0) - (want?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
