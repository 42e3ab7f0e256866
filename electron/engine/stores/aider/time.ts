const written = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/;

/**
 * A local time without a zone, counted as if it were UTC: what the clock on the wall showed can be shown again, and
 * times of one machine compare. Null for anything else, and for a day that no calendar has.
 */
export function wallTime(text: string): number | null {
  const found = written.exec(text);
  if (!found) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const time = Date.UTC(year, month - 1, day, hour, minute, second, Number((found[7] ?? '').padEnd(3, '0').slice(0, 3)));
  const date = new Date(time);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 62 ? time : null;
}
