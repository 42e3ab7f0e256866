import { describe, expect, it } from 'vitest';
import { countOf, formatAgo, formatBytes, formatDuration, formatShort, shortenMiddle, tildePath } from './format';

describe('figures', () => {
  it('groups counts and agrees with the noun', () => {
    expect(countOf(1, 'session')).toBe('1 session');
    expect(countOf(1204, 'session')).toBe('1,204 sessions');
    expect(countOf(2, 'reply', 'replies')).toBe('2 replies');
  });
  it('shortens tokens and bytes to what one reads', () => {
    expect([999, 1_000, 1_250, 41_234, 999_499, 1_500_000, 1_474_435_500].map(formatShort)).toEqual(['999', '1k', '1.3k', '41k', '999k', '1.5M', '1.5B']);
    expect([12, 4_200, 2_000_000, 3_400_000_000].map(formatBytes)).toEqual(['12 B', '4.2 kB', '2 MB', '3.4 GB']);
  });
  it('writes durations with their unit', () => {
    expect([8, 1_234, 61_000, 3_720_000].map(formatDuration)).toEqual(['8 ms', '1.2 s', '1 min 1 s', '1 h 2 min']);
  });
});

describe('times', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  it('says how long ago', () => {
    expect(formatAgo('2026-03-10T11:59:30Z', now)).toBe('now');
    expect(formatAgo('2026-03-10T11:55:00Z', now)).toBe('5 m');
    expect(formatAgo('2026-03-10T09:00:00Z', now)).toBe('3 h');
    expect(formatAgo('2026-03-08T12:00:00Z', now)).toBe('2 d');
    expect(formatAgo('2026-01-03T12:00:00Z', now)).toBe('Jan 3');
    expect(formatAgo('2024-01-03T12:00:00Z', now)).toBe('Jan 3, 2024');
  });
  it('does not call the future "now", and leaves out what is not known', () => {
    expect(formatAgo('2027-01-03T12:00:00Z', now)).toBe('Jan 3, 2027');
    expect(formatAgo(null, now)).toBe('');
    expect(formatAgo('not a time', now)).toBe('');
  });
});

describe('paths', () => {
  it('keeps both ends', () => {
    expect(shortenMiddle('/home/dev/acme/services/uploader.ts', 20)).toBe('/home/d…/uploader.ts');
    expect(shortenMiddle('/home/dev/projects/acme/services/uploader/src/index.ts', 30)).toHaveLength(30);
    expect(shortenMiddle('short', 30)).toBe('short');
  });
  it('writes the home as a tilde, at a folder border only', () => {
    expect(tildePath('/home/dev/acme', '/home/dev')).toBe('~/acme');
    expect(tildePath('/home/device/acme', '/home/dev')).toBe('/home/device/acme');
  });
});
