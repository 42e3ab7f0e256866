import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { type FixtureFamily, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { acceptStore, type AcceptanceCase, type HomeChange } from '../acceptance';
import { codex } from './index';

const cases = (family: FixtureFamily, wanted: (name: string) => boolean = () => true): AcceptanceCase[] =>
  fixtureNames(family)
    .filter(wanted)
    .map((name) => ({ name: `${family}/${name}`, open: () => openFixture(family, name) }));

function rollouts(home: string): string[] {
  const root = join(home, '.codex/sessions');
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl')).map((name) => join(root, name)).sort();
}

/** The largest rollout of a home. */
function rollout(home: string): string {
  const [largest] = rollouts(home).sort((a, b) => readFileSync(b).length - readFileSync(a).length);
  if (!largest) throw new Error('this home has no rollout');
  return largest;
}

const lines = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

const changesOn = (on: string): HomeChange[] => [
  { name: 'a rollout was cut to half', on, apply: (home) => truncateSync(rollout(home), Math.floor(readFileSync(rollout(home)).length / 2)) },
  { name: 'a rollout was replaced by its last lines', on, apply: (home) => writeFileSync(rollout(home), `${lines(rollout(home)).slice(4).join('\n')}\n`) },
  { name: 'a torn line was added', on, apply: (home) => appendFileSync(rollout(home), '{"timestamp":"2026-11-29T15:53:09.1') },
  {
    name: 'a record of an unknown type was added', on,
    apply: (home) => appendFileSync(rollout(home), '{"timestamp":"2026-11-30T00:00:00.000Z","ordinal":9000,"type":"from_the_future","payload":{"x":1}}\n'),
  },
  {
    name: 'a rollout was packed', on,
    apply(home) {
      const file = rollout(home);
      writeFileSync(`${file}.zst`, zstdCompressSync(readFileSync(file)));
      rmSync(file);
    },
  },
  {
    name: 'a rollout was archived', on,
    apply(home) {
      mkdirSync(join(home, '.codex/archived_sessions'), { recursive: true });
      renameSync(rollout(home), join(home, '.codex/archived_sessions', basename(rollout(home))));
    },
  },
  { name: 'the thread table went away', on, apply: (home) => readdirSync(join(home, '.codex')).filter((name) => name.startsWith('state_')).forEach((name) => rmSync(join(home, '.codex', name))) },
  { name: 'a list of names was added', on, apply: (home) => appendFileSync(join(home, '.codex/session_index.jsonl'), `${JSON.stringify({ id: /[0-9a-f-]{36}/.exec(basename(rollout(home)).slice(28))?.[0], thread_name: 'A name', updated_at: '' })}\n`) },
];

acceptStore(codex, [...cases('codex'), ...cases('field', (name) => name.startsWith('cx-'))], [
  ...changesOn('codex/exec-patch-plan'),
  ...changesOn('codex/fork-tree'),
  ...changesOn('codex/revert-chain'),
  ...changesOn('codex/legacy-0125'),
  // Where a table names the thread, or a fork holds a copy of it, more is left of it than a new library could find.
  { name: 'a rollout went away', on: 'codex/v039', apply: (home) => rmSync(rollout(home)) },
  { name: 'a rollout went away', on: 'codex/bare-020', apply: (home) => rmSync(rollout(home)) },
  {
    name: 'a rollout came back after it had been packed', on: 'codex/compressed',
    apply(home) {
      const [plain] = rollouts(home);
      if (plain) copyFileSync(plain, join(home, '.codex/sessions', basename(plain)));
    },
  },
]);
