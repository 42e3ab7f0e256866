import { expect, test } from 'vitest';
import { parseCommandLine } from './program';

const now = Date.parse('2026-11-20T12:00:00Z');
const parse = (...args: string[]) => parseCommandLine(args, '/work/web', now);

test('options that all commands share stand before or after the command', () => {
  const expected = { json: true, engine: { home: '/home/dev', library: '/work/web/l.db', noIndex: true }, run: { command: 'tree', session: null } };
  expect(parse('--home', '/home/dev', '--json', '--library', 'l.db', '--no-index', 'tree')).toEqual(expected);
  expect(parse('tree', '--home', '/home/dev', '--json', '--library', 'l.db', '--no-index')).toEqual(expected);
  expect(parse('--json', 'tree', '--no-index', '--home', '/home/dev', '--library', 'l.db')).toEqual(expected);
});

test('folders and mappings can be repeated', () => {
  expect(parse('ls', '--add', 'a', '--add', '/b', '--map', '/home/dev=/mnt/dev')).toMatchObject({
    engine: { add: ['/work/web/a', '/b'], map: ['/home/dev=/mnt/dev'] },
  });
});

test('ls without options lists all, newest update first', () => {
  expect(parse('ls')).toEqual({
    json: false, engine: {},
    run: { command: 'ls', agents: [], projects: [], archived: 'include', since: null, until: null, title: null, sort: 'updated', limit: null },
  });
});

test('ls takes its filters', () => {
  const { run } = parse(
    'ls', '--agent', 'opencode', '--agent', 'Claude-Code', '--project', 'acme', '--project', '.', '--project', '../api/', '--only-archived',
    '--since', '7d', '--until', '2026-11-19T08:00Z', '--title', 'fix retry', '--sort', 'created', '--limit', '3',
  ) as { run: unknown };
  expect(run).toEqual({
    command: 'ls', agents: ['opencode', 'claude-code'], projects: ['acme', '/work/web', '/work/api'], archived: 'only',
    since: '2026-11-13T12:00:00.000Z', until: '2026-11-19T08:00:00.000Z', title: 'fix retry', sort: 'created', limit: 3,
  });
  expect(parse('ls', '--no-archived')).toMatchObject({ run: { archived: 'hide' } });
  expect(parse('ls', '--archived')).toMatchObject({ run: { archived: 'include' } });
});

test('diff', () => {
  const scope = (...args: string[]) => parse('diff', 'ses_1', ...args);
  expect(scope()).toMatchObject({ run: { command: 'diff', session: 'ses_1', scope: { kind: 'session' }, patch: false } });
  expect(scope('--net', '--patch')).toMatchObject({ run: { scope: { kind: 'session' }, patch: true } });
  expect(scope('--turn', '3')).toMatchObject({ run: { scope: { kind: 'turn', turn: 3 } } });
  expect(scope('--part', 'prt_1')).toMatchObject({ run: { scope: { kind: 'part', part: 'prt_1' } } });
  expect(scope('--branch', 'current')).toMatchObject({ run: { scope: { kind: 'branch', branch: 'current' } } });
  expect(scope('--against', 'ses_2')).toMatchObject({ run: { scope: { kind: 'against', session: 'ses_2' } } });
  for (const args of [['--turn', '0'], ['--turn', '1', '--net'], ['--part', 'x', '--against', 'y'], ['--patch', '--json']]) expect(scope(...args)).toMatchObject({ problem: expect.any(String) });
});

test('compare takes two sessions, and a branch of each', () => {
  expect(parse('compare', 'a', 'b')).toMatchObject({ run: { command: 'compare', a: 'a', b: 'b', branchA: null, branchB: null } });
  expect(parse('compare', 'a', 'a', '--branch-a', '2', '--branch-b', 'current', '--json')).toMatchObject({ json: true, run: { a: 'a', b: 'a', branchA: '2', branchB: 'current' } });
  expect(parse('compare', 'a')).toMatchObject({ problem: expect.stringContaining("missing required argument 'b'") });
  expect(parse('compare', 'a', 'b', '--branch-a', 'x')).toMatchObject({ problem: expect.stringContaining('neither a number nor "current"') });
});

test('show and search', () => {
  expect(parse('show', 'ses_1', '--branch', '2', '--at', 'msg_1', '--full')).toMatchObject({
    run: { command: 'show', session: 'ses_1', branch: '2', at: 'msg_1', full: true },
  });
  expect(parse('search', 'fix', '"the retry"', 'tool:bash')).toMatchObject({
    run: { command: 'search', query: 'fix "the retry" tool:bash', session: null, limit: 50 },
  });
  expect(parse('search', '--limit', '5', '--session', 'ses_1', '--', '-x', '--json')).toMatchObject({
    json: false, run: { query: '-x --json', session: 'ses_1', limit: 5 },
  });
});

test('memory takes a project by its name or a folder', () => {
  expect(parse('memory')).toMatchObject({ run: { command: 'memory', project: null } });
  expect(parse('memory', 'acme')).toMatchObject({ run: { project: 'acme' } });
  expect(parse('memory', '.')).toMatchObject({ run: { project: '/work/web' } });
});

test('serve gets the shared options and its own', () => {
  expect(parse('--home', 'h', 'serve', '--port', '7777', '--no-index')).toEqual({ serve: ['--home', '/work/web/h', '--no-index', '--port', '7777'] });
  expect(parse('serve', '--help')).toEqual({ serve: ['--help'] });
});

test.each([
  [['lss'], /unknown command 'lss'/],
  [['ls', '--nope'], /unknown option '--nope'/],
  [['ls', 'x'], /too many arguments/],
  [['show'], /missing required argument 'session'/],
  [['search'], /missing required argument 'query'/],
  [['ls', '--agent', 'vim'], /There is no such agent/],
  [['ls', '--limit', '0'], /It is no number from 1 up/],
  [['ls', '--since', 'yesterday'], /It is no time/],
  [['ls', '--sort', 'size'], /Allowed choices are updated, created/],
  [['ls', '--only-archived', '--no-archived'], /cannot be used with/],
  [['ls', '--home', ' '], /It is empty/],
  [['ls', '--map', 'x'], /It is not FROM=TO/],
  [['export', 'x', '--mask', 'y'], /two letters at least/],
  [['export', 'x', '--no-redact', '--mask', 'falcon'], /--no-redact masks nothing/],
  [['export', 'x', '--no-redact', '--keep', 'home'], /--no-redact masks nothing/],
  [['import', ''], /'from'\. It is empty/],
  [['index', '--no-index'], /--no-index asks it not to/],
  [[], /Usage: retrace/],
  [['session'], /^Usage: retrace session [\s\S]*rename [\s\S]*restore /],
])('%j is a usage error', (args, problem) => {
  expect(parse(...args)).toEqual({ problem: expect.stringMatching(problem) });
});

test('help and version are answers, not errors', () => {
  expect(parse('--help')).toEqual({ help: expect.stringMatching(/^Usage: retrace[\s\S]*Exit codes: 0 done, 1 refused/) });
  expect(parse('show', '--help')).toEqual({ help: expect.stringMatching(/^Usage: retrace show[\s\S]*--branch[\s\S]*Global Options:[\s\S]*--json/) });
  expect(parse('--version')).toEqual({ help: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
});
