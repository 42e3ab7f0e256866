import { expect, it } from 'vitest';
import { asMessageId, asPartId, asSessionId, type ContextHistory, type ContextPoint } from '@shared/model';
import { chartOf, nearestPoint } from './chart';
import { epochAt } from './epochs';

const point = (index: number, tokens: number, cause: ContextPoint['cause'] = 'request'): ContextPoint => ({ index, tokens, cause, part: asPartId(`s/1#${index}`), message: asMessageId('s/1#m'), time: null, estimated: false, label: null });
const size = (tokens: number) => ({ tokens, estimated: false });
const history: ContextHistory = {
  revision: 1, session: asSessionId('s/1'), branch: '1', window: 150, pointsLeftOut: 0, epochsLeftOut: 0,
  points: [point(0, 20), point(50, 100), point(40, 90, 'large'), point(100, 30)],
  epochs: [
    { from: 0, to: 60, begins: size(20), ends: size(100), compaction: { part: asPartId('s/1#60'), index: 60, summaries: [], trigger: 'auto', before: size(100), after: size(10) } },
    { from: 60, to: 101, begins: size(30), ends: size(30), compaction: null },
  ],
};

it('charts requests by their place, holds a size until the next, and cuts at compactions', () => {
  const chart = chartOf(history, 101, 200, 100);
  expect(chart.points.map(({ x, point: { tokens } }) => [x, tokens])).toEqual([[0, 20], [100, 100], [200, 30]]);
  expect(chart.cuts).toEqual([{ x: 120, index: 60 }]);
  expect(chart.line.startsWith('M0,90L100,90L100,50L200,50')).toBe(true);
  expect(chart.window).toBe(25);
});

it('leaves a window out that would press the line flat', () => {
  expect(chartOf({ ...history, window: 10_000 }, 101, 200, 100).window).toBeNull();
});

it('finds the point nearest to a place', () => {
  const chart = chartOf(history, 101, 200, 100);
  expect([0, 60, 140, 500].map((place) => nearestPoint(chart, place))).toEqual([0, 1, 1, 2]);
  expect(nearestPoint(chartOf({ ...history, points: [] }, 1, 200, 100), 5)).toBe(-1);
});

it('names the epoch a part lies in', () => {
  expect([0, 59, 60, 100, 500].map((index) => epochAt(history, index)?.number)).toEqual([1, 1, 2, 2, 2]);
  expect(epochAt(null, 3)).toBeNull();
});
