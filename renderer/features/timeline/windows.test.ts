import { expect, it } from 'vitest';
import { asMessageId, asPartId, type PartView } from '@shared/model';
import { PartWindows, windowLimit, windowSize } from './windows';

const part = (index: number, title = `part ${index}`): PartView => ({
  id: asPartId(`s/1#${index}`), nativeId: String(index), index, opensMessage: false, kind: 'text', state: 'live', reason: null, cause: null, injected: false, seen: true, time: null, bytes: 1, title,
  message: { id: asMessageId('s/1#m'), nativeId: 'm', role: 'user', time: null, model: null, agentName: null }, text: null, tool: null, file: null, diagnoses: [],
});
const parts = (from: number, count: number): PartView[] => Array.from({ length: count }, (_, at) => part(from + at));

it('asks for the windows a stretch lies in, and for none twice', () => {
  const windows = new PartWindows();
  expect(windows.missing(0, 60, 1_000)).toEqual([0, 1]);
  windows.put(0, parts(0, 50));
  expect(windows.missing(0, 60, 1_000)).toEqual([1]);
  expect(windows.get(49)?.title).toBe('part 49');
  expect(windows.get(50)).toBeUndefined();
});

it('knows that a short last window is whole, and that it is not when parts were added', () => {
  const windows = new PartWindows();
  windows.put(0, parts(0, 20));
  expect(windows.missing(0, 19, 20)).toEqual([]);
  expect(windows.missing(0, 21, 22)).toEqual([0]);
});

it('keeps some 2,000 parts, those last seen', () => {
  const windows = new PartWindows();
  const total = 100_000;
  for (let number = 0; number < windowLimit; number += 1) windows.put(number * windowSize, parts(number * windowSize, windowSize));
  expect(windows.size).toBe(2_000);
  windows.missing(0, 10, total);
  windows.put(90_000, parts(90_000, 50));
  expect(windows.size).toBe(2_000);
  expect(windows.get(0)?.index).toBe(0);
  expect(windows.get(50)).toBeUndefined();
  expect(windows.get(90_049)?.index).toBe(90_049);
});

it('shows aged parts until the new ones are there, and keeps those that stayed the same', () => {
  const windows = new PartWindows();
  windows.put(0, parts(0, 2));
  const first = windows.get(0);
  windows.age();
  expect(windows.missing(0, 1, 2)).toEqual([0]);
  expect(windows.get(0)).toBe(first);
  windows.put(0, [part(0), part(1, 'changed')]);
  expect(windows.get(0)).toBe(first);
  expect(windows.get(1)?.title).toBe('changed');
  expect(windows.missing(0, 1, 2)).toEqual([]);
});

it('takes an answer of several windows', () => {
  const windows = new PartWindows();
  windows.put(50, parts(50, 120));
  expect(windows.get(169)?.index).toBe(169);
  expect(windows.missing(50, 169, 170)).toEqual([]);
});
