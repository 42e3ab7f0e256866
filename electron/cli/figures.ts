/** Numbers, sizes and times as the command line prints them for people. */

const grouped = new Intl.NumberFormat('en-US');

/** 1 → "1 part", 4812 → "4,812 parts". */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${grouped.format(count)} ${count === 1 ? one : many}`;

const scaled = (value: number): string => (value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value)));

/** 41234 → "41k": for token figures, where the third digit says nothing. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 999_500 ? `${scaled(count / 1_000)}k` : `${scaled(count / 1_000_000)}M`;
}

/** 4200 → "4.2 kB" (decimal units). */
export function byteCount(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${scaled(bytes / 1_000)} kB`;
  return bytes < 999_500_000 ? `${scaled(bytes / 1_000_000)} MB` : `${scaled(bytes / 1_000_000_000)} GB`;
}

const two = (part: number): string => String(part).padStart(2, '0');

/** Day and minute in the zone of this machine; a dash for a time that is not recorded. */
export function localTime(iso: string | null): string {
  const time = iso === null ? null : new Date(iso);
  if (time === null || Number.isNaN(time.getTime())) return '-';
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;
}
