import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, type FixtureFamily, fixtureNames, openFixture } from '../../../e2e/fixtures';
import { filesOf, Shelf } from './acceptance';
import { aiderWith } from './aider/fixture-home.test-support';
import { claudeCode } from './claude-code';
import { codex } from './codex';
import { byteMutation, ChangeableHome, type Mutation, recordMutation } from './mutations.test-support';
import { opencode } from './opencode';
import type { SessionStore } from './store';

/** Changed homes a fixture and kind of change; the seeds are fixed, so that more runs begin with the same ones. */
const runs = Number(process.env['RETRACE_FUZZ_RUNS'] ?? (process.env['RETRACE_SLOW'] === '1' ? 50 : 1));
const firstSeed = 20261129;
/** Milliseconds of processor time a case may take: one pass, and everything shown. What waits for ever is ended by the time of its test. */
const patience = 2_000;

const stores: [SessionStore, FixtureFamily][] = [
  [claudeCode, 'claude-code'],
  [codex, 'codex'],
  [opencode, 'opencode'],
  [aiderWith(['proj/calc', 'proj/attr', 'proj/inter', 'proj/edges', 'proj', 'projects/ledger']), 'aider'],
];
const cases = stores.flatMap(([store, family]) => fixtureNames(family).map((name) => ({ store, family, name }))).map((fixture, index) => ({ ...fixture, seed: firstSeed + index }));

describe.each(cases)('$family/$name', ({ store, family, name, seed }) => {
  let fixture: Fixture;
  let changeable: ChangeableHome;
  beforeAll(() => {
    fixture = openFixture(family, name);
    changeable = new ChangeableHome(fixture.home);
  });
  afterAll(() => {
    changeable.dispose();
    fixture.dispose();
  });

  test.each([['bytes', fc.array(byteMutation, { minLength: 1, maxLength: 4 })], ['records', fc.array(recordMutation, { minLength: 1, maxLength: 6 })]])(
    'changed %s: no error, no hang, the same twice, no trace',
    async (_, mutations) => {
      const property = fc.asyncProperty(mutations, (changes) => survives(store, changeable, changes));
      await expect(fc.assert(property, { seed, numRuns: runs, endOnFailure: true })).resolves.toBeUndefined();
    },
    runs * 4 * patience,
  );

  test('read in small steps, as it grew, is what is read at once', () =>
    fc.assert(
      fc.asyncProperty(growth, async ({ parts, stops }) => {
        const shelf = new Shelf(fixture.home, store);
        try {
          const stopping = stops[Symbol.iterator]();
          await changeable.asTheyGrew(parts.toSorted((a, b) => a - b), async (isWhole) => {
            await shelf.pass(store, stopsAfter(stopping.next().value ?? 0));
            if (!isWhole) return;
            for (const left of stopping) await shelf.pass(store, stopsAfter(left));
            await shelf.pass();
          });
          // A library that was deleted is made anew by one pass.
          expect(shelf.content()).toEqual((await readAnew(fixture.home, store)).content);
        } finally {
          shelf.dispose();
        }
      }),
      { seed, numRuns: runs, endOnFailure: true },
    ), runs * 4 * patience);
});

const growth = fc.record({
  parts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  // How often a pass asks whether to go on until it is stopped.
  stops: fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 }),
});

function stopsAfter(questions: number): () => boolean {
  let left = questions;
  return () => left-- <= 0;
}

async function survives(store: SessionStore, changeable: ChangeableHome, changes: Mutation[]): Promise<void> {
  try {
    for (const change of changes) changeable.change(change);
    const before = filesOf(changeable.home);
    const first = await readAnew(changeable.home, store);
    const second = await readAnew(changeable.home, store);
    expect(second.content).toEqual(first.content);
    // The first of all also loads the code.
    expect(Math.min(first.took, second.took)).toBeLessThan(patience);
    expect(filesOf(changeable.home)).toEqual(before);
  } finally {
    changeable.restore();
  }
}

async function readAnew(home: string, store: SessionStore) {
  const before = process.cpuUsage();
  const shelf = new Shelf(home, store);
  try {
    await shelf.pass();
    const content = shelf.content();
    const { user, system } = process.cpuUsage(before);
    return { content, took: (user + system) / 1_000 };
  } finally {
    shelf.dispose();
  }
}
