import { expect, test } from 'vitest';
import { commandLine, decisionsIn, lossesOf } from './losses';

test('sentences that read like decisions, code and short lines left out', () => {
  expect(decisionsIn('We use SQLite instead of JSON files. Done.\n- Because the tests are slow, they run apart.\n```\nchoose = because\n```\nThe sky is blue over the harbour.')).toEqual([
    'We use SQLite instead of JSON files.', 'Because the tests are slow, they run apart.',
  ]);
});

test('a command is its first line without a change of folder', () => {
  expect(['cd /repo && npm  test\necho done', '  git status'].map(commandLine)).toEqual(['npm test', 'git status']);
});

test('what a summary names is kept: a file by path or name, a command whole or by its first words, a decision by most of its words', () => {
  const items = [
    { kind: 'file' as const, text: '/p/src/parse.js', at: 0 },
    { kind: 'file' as const, text: '/p/src/js', at: 1 },
    { kind: 'file' as const, text: '/p/lost.md', at: 2 },
    { kind: 'file' as const, text: '/p/lost.md', at: 7 },
    { kind: 'command' as const, text: 'npm test -- --run', at: 3 },
    { kind: 'command' as const, text: 'rm -rf build', at: 4 },
    { kind: 'decision' as const, text: 'Brackets are kept on a stack instead of a counter.', at: 5 },
    { kind: 'decision' as const, text: 'Never touch the vendored folder because it is generated.', at: 6 },
  ];
  const summary = 'parse.js was changed: brackets are kept on a stack instead of a counter. npm test passes.';
  expect(lossesOf(items, summary)).toEqual({
    found: { file: { total: 3, kept: 1 }, command: { total: 2, kept: 1 }, decision: { total: 2, kept: 1 } },
    lost: [
      { kind: 'file', text: '/p/lost.md', at: 7, times: 2 },
      { kind: 'file', text: '/p/src/js', at: 1, times: 1 },
      { kind: 'command', text: 'rm -rf build', at: 4, times: 1 },
      { kind: 'decision', text: 'Never touch the vendored folder because it is generated.', at: 6, times: 1 },
    ],
  });
});
