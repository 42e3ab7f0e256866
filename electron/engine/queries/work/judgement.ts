import type { Loop, Marker } from '../../stores/omo/continuation';
import type { Layout } from '../../stores/omo/places';
import type { Team } from '../../stores/omo/team';
import { toldTime } from '../session-summary';
import type { FoundSession, WorkSessions } from './work-sessions';

/** Milliseconds without a word after which what says `active` is taken for left behind. */
const quiet = 10 * 60_000;

/** Nothing clears these files when a program is killed (FORMAT.md, "After a kill"): the last word of the sessions is held against them. */
export function judgeMarker(marker: Marker, session: FoundSession, sessions: WorkSessions, now: number): string | null {
  if (!marker.active) return null;
  const last = latest([session.written, sessions.helpersWrote(marker.session)]);
  return silence(last, now, 'Neither the session nor a helper of it was written');
}

export function judgeLoop(loop: Loop, layout: Layout, session: FoundSession | null, now: number): string | null {
  if (!loop.active) return null;
  const silent = silence(session?.written ?? null, now, 'Its session was not written');
  if (layout === '.sisyphus') return silent;
  const copied = 'It was copied from .sisyphus: the plugin that reads .omo has no such loop to go on with.';
  return silent === null ? copied : `${silent} ${copied}`;
}

export function judgeTeam({ status }: Team, members: readonly FoundSession[], now: number): string | null {
  if (status !== 'active' && status !== 'running') return null;
  return silence(latest(members.map(({ written }) => written)), now, 'None of its sessions was written');
}

const latest = (times: readonly (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
};

function silence(last: number | null, now: number, words: string): string | null {
  if (last === null) return 'No session of it is in the library: it was most likely left behind.';
  return now - last < quiet ? null : `${words} since ${toldTime(last)}: it was most likely left behind when the program ended.`;
}
