import { afterEach, expect, test } from 'vitest';
import { DiffHome, told } from './diff-home.test-support';

let home: DiffHome | undefined;
afterEach(() => home?.dispose());

test('a branch that was rewound to is held against the files where it departs, not against what another branch left', async () => {
  home = await DiffHome.open('claude-code', 'rewind', 'claude-code');
  const session = home.session('668bfb69');
  const part = `${session}#6f237fab-421e-4ebe-9b7f-23184727e1d7`;
  expect(home.diffs.timeline.locate(part)?.index).toBe(31);
  const scope = { kind: 'stretch', branch: '3', from: part } as const;
  expect((await home.files(session, scope)).map(told)).toEqual(['edit greet.js +1 -1 inferred']);
  expect((await home.diff(session, '/home/dev/projects/demo/greet.js', scope)).patch).toContain('-  return ("hello " + name).toUpperCase()');
  expect(await home.diffs.sum({ session, scope })).toEqual({ files: 1, added: 1, removed: 1 });
  expect(await home.diffs.sum({ session, scope: { ...scope, branch: '9' } })).toBeNull();
  expect(await home.diffs.sum({ session, scope: { ...scope, from: 'claude-code/another#part' } })).toBeNull();
});

test('sums of branches leave what is kept to be asked for file by file alone', async () => {
  home = await DiffHome.open('claude-code', 'rewind', 'claude-code');
  const session = home.session('668bfb69');
  const { log } = home.diffs.timeline.bodies;
  let reads = 0;
  const read = log.read.bind(log);
  log.read = (...place) => {
    reads++;
    return read(...place);
  };
  await home.files(session);
  for (const turn of [1, 2, 3, 4, 5]) await home.diffs.sum({ session, scope: { kind: 'turn', turn } });
  reads = 0;
  await home.files(session);
  expect(reads).toBe(0);
});
