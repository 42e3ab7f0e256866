import { InvalidArgumentError } from 'commander';

const hours = { h: 1, d: 24, w: 7 * 24 } as const;

/**
 * A moment as a person types it: `2026-11-02`, `2026-11`, `2026-11-02T14:30`, with a zone or in this machine's, or how
 * long ago: `12h`, `7d`, `4w`. A day, month or year means its beginning, or with `end` its last millisecond. ISO 8601 UTC.
 */
export function momentOf(value: string, edge: 'begin' | 'end', now: number): string {
  const ago = /^(\d{1,6})([hdw])$/.exec(value);
  if (ago) return new Date(now - Number(ago[1]) * hours[ago[2] as keyof typeof hours] * 3_600_000).toISOString();
  const date = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/.exec(value);
  if (date) return dateEdge(Number(date[1]), date[2], date[3], edge);
  const time = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) throw new InvalidArgumentError('It is no time: write 2026-11-02, 2026-11-02T14:30, or how long ago (12h, 7d, 4w).');
  return new Date(time).toISOString();
}

function dateEdge(year: number, month: string | undefined, day: string | undefined, edge: 'begin' | 'end'): string {
  const begin = new Date(year, Number(month ?? 1) - 1, Number(day ?? 1));
  const isReal = begin.getMonth() === Number(month ?? 1) - 1 && begin.getDate() === Number(day ?? 1);
  if (!isReal) throw new InvalidArgumentError('There is no such day.');
  if (edge === 'begin') return begin.toISOString();
  const next =
    month === undefined ? new Date(year + 1, 0, 1) : day === undefined ? new Date(year, Number(month), 1) : new Date(year, Number(month) - 1, Number(day) + 1);
  return new Date(next.getTime() - 1).toISOString();
}
