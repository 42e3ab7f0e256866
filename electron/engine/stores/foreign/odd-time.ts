/** A time before 2000 or from 2100 on is a clock's fault: nothing is dated by it, and the records are shown where they stand. */
export const isOddTime = (time: number): boolean => time < Date.UTC(2000, 0, 1) || time >= Date.UTC(2100, 0, 1);

/** The same as a sentence of how many records have one. */
export function sayOddTimes(count: number): string {
  const [records, are] = count === 1 ? ['1 record has', 'it is'] : [`${count} records have`, 'they are'];
  return `${records} a time that cannot be true (before 2000, or from 2100 on); ${are} shown without one, where ${count === 1 ? 'it stands' : 'they stand'}.`;
}
