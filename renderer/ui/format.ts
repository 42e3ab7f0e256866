/** Numbers, sizes and times as the page writes them: with units, thin groups, and no more digits than one reads. */

const grouped = new Intl.NumberFormat('en-US');

/** 4812 → 4,812 */
export const formatCount = (count: number): string => grouped.format(count);

/** 1 → "1 part", 4812 → "4,812 parts". */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${formatCount(count)} ${count === 1 ? one : many}`;

const scaled = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value)));

/** 41,234 → "41k": for token figures, where the third digit says nothing. */
export function formatShort(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 999_500) return `${scaled(count / 1_000)}k`;
  if (count < 999_500_000) return `${scaled(count / 1_000_000)}M`;
  return `${scaled(count / 1_000_000_000)}B`;
}

/** 4200 → "4.2 kB" (decimal units). */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${scaled(bytes / 1_000)} kB`;
  if (bytes < 999_500_000) return `${scaled(bytes / 1_000_000)} MB`;
  return `${scaled(bytes / 1_000_000_000)} GB`;
}

/** 1234 ms → "1.2 s". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${scaled(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const dayOfYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dayOfAnyYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', year: 'numeric' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const minuteExact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** How long ago, as short as a list needs: "now", "5 m", "3 h", "2 d", "3 Mar", "3 Mar 2024". A time to come is written whole. */
export function formatAgo(iso: string | null, now: number): string {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(time)) return '';
  const age = now - time;
  if (age < -minute) return dayOfAnyYear.format(time);
  if (age < minute) return 'now';
  if (age < hour) return `${Math.floor(age / minute)} m`;
  if (age < day) return `${Math.floor(age / hour)} h`;
  if (age < 30 * day) return `${Math.floor(age / day)} d`;
  return (new Date(now).getFullYear() === new Date(time).getFullYear() ? dayOfYear : dayOfAnyYear).format(time);
}

/** The whole time in the reader's zone, for hovers. */
export function formatExact(iso: string | null): string {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? 'time not recorded' : exact.format(time);
}

/** Day and minute, where seconds only fill the line. */
export function formatMinute(iso: string | null): string {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? '' : minuteExact.format(time);
}

/** Hours and minutes, for a row in a timeline. */
export function formatClock(iso: string | null): string {
  const time = iso === null ? Number.NaN : Date.parse(iso);
  return Number.isNaN(time) ? '' : clock.format(time);
}

/** Keeps both ends of a path: the root tells the project, the end tells the file. */
export function shortenMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.ceil((limit - 1) * 0.6);
  return `${text.slice(0, limit - 1 - tail)}…${text.slice(-tail)}`;
}

/** `/home/dev/acme` → `~/acme` when the engine reads that home. */
export function tildePath(path: string, home: string | null): string {
  return home && (path === home || path.startsWith(`${home}/`)) ? `~${path.slice(home.length)}` : path;
}
