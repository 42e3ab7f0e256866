import { describe, expect, test } from 'vitest';
import { fixtureNames, openFixture } from '../../../../../e2e/fixtures';
import { drive, type DrivenSession, type Driver } from '../drive.test-support';
import { contextOf, requestOf } from '../sent.test-support';
import type { WriteWay } from '../../store';
import { applyFiles, drawn, making, pointOf, textOfStep, toWrite } from './draft.test-support';
import { turnPoint } from './turn-points';
import { writer } from '.';

const now = Date.UTC(2026, 11, 24, 12);
const byFile = new Set(['by-reference', 'self-contained']);

/** Points of a thread: before each message of the person, also of turns taken back, and now. */
const pointsOf = ({ records, messages, spine }: DrivenSession): (number | null)[] => [
  ...records.flatMap((record, index) => (record.message && messages.get(record.message.key)?.prompt && spine.records.findIndex(({ messageKey }) => messageKey === record.message?.key) === index ? [index] : [])), null,
];

interface Made {
  parent: DrivenSession;
  before: number | null;
  way: WriteWay;
  id: string;
  wanted: string[];
}

/** Where what is kept ends. In front of a turn that nothing marks goes what was put in for it: Codex takes both back together, and puts it in again. */
function endOfKept({ spine }: DrivenSession, before: number | null): number | null {
  const { boundary, kept } = turnPoint(spine, before);
  if (boundary === null || kept.at(-1)?.isMarked !== false) return boundary?.index ?? null;
  let at = boundary.index;
  while (spine.records[at - 1]?.injected === true && spine.records[at - 1]?.role !== 'assistant') at--;
  return at;
}

/** What would be sent, item by item; outputs stand behind other calls and are told apart. */
function sentOf(session: DrivenSession, driver: Driver, before: number | null): string[] {
  const { items, outputs } = requestOf(session, driver, contextOf(session, before));
  return [...items, ...outputs];
}

/**
 * Every home in the slow run. The usual one takes those whose lines differ most in what a fork has to do with them: a
 * compaction, a tree of forks, turns taken back, subagents, both older line shapes, and a rollout that another Codex wrote.
 */
const isSlow = process.env['RETRACE_SLOW'] === '1';
const usual = ['bare-020', 'compaction', 'fork-tree', 'legacy-0125', 'revert-chain', 'subagents-v2-codemode', 'ts-cli', 'tui-rewind-rename', 'v050'];

describe.each(fixtureNames('codex').filter((name) => isSlow || usual.includes(name)))('codex/%s', (name) => {
  test('each fork at each point holds what the original would have sent there, and says where it is from', () => {
    const fixture = openFixture('codex', name);
    try {
      const { driver, sessions } = drive(fixture.home);
      const made: Made[] = [];
      for (const parent of sessions.values()) {
        for (const before of pointsOf(parent)) {
          const session = toWrite(parent, driver);
          const point = pointOf(parent, before);
          for (const way of writer.forkWays(session, point).filter(({ id, refused }) => byFile.has(id) && refused === null)) {
            const draft = drawn(writer.planFork(session, point, { way: way.id }, making(now, made.length * 2)) as ReturnType<typeof drawn>);
            made.push({ parent, before, way, id: draft.session ?? '', wanted: sentOf(parent, driver, endOfKept(parent, before)) });
            expect(textOfStep(draft.steps[0])).toBe(textOfStep(draft.steps[0]));
            applyFiles(draft);
          }
        }
      }
      expect(made.length).toBeGreaterThan(0);
      const again = drive(fixture.home);
      for (const { parent, before, way, id, wanted } of made) {
        const where = `${parent.native} ${way.id} before ${before} as ${id}`;
        const fork = again.sessions.get(id);
        expect(fork, where).toBeDefined();
        if (!fork) continue;
        const sent = sentOf(fork, again.driver, null);
        expect(sent, where).toEqual(wanted);
        expect(fork.edges.map(({ child, parent: from, kind, certainty }) => ({ child, from, kind, certainty })), where).toEqual([{ child: id, from: parent.native, kind: 'fork', certainty: 'recorded' }]);
        expect(fork.settled.condition, where).toBe('finished');
      }
      expect(again.driver.damage).toEqual(driver.damage);
    } finally {
      fixture.dispose();
    }
  });
});
