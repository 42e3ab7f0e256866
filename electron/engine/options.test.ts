import { expect, test } from 'vitest';
import { decodeOptions, encodeOptions, parseServeOptions, parseWindowOptions } from './options';

test('the window takes its own options among those of Electron and Chromium', () => {
  const args = ['--no-sandbox', '--remote-debugging-port=0', '--user-data-dir=/tmp/u', '.', '--home', 'other', '--add', '/a', '--add', 'b', 'retrace://session/x'];
  expect(parseWindowOptions(args, '/work')).toEqual({ options: { home: '/work/other', add: ['/a', '/work/b'] } });
  expect(parseWindowOptions([], '/work')).toEqual({ options: {} });
});

test('serve takes a port, and nothing it does not know', () => {
  expect(parseServeOptions(['--web', '--port', '7777', '--library=/l.db', '--map', '/old=/new', '--no-index'], '/work')).toEqual({
    options: { port: 7777, library: '/l.db', map: ['/old=/new'], noIndex: true },
  });
  expect(parseServeOptions([], '/work')).toEqual({ options: { port: 0 } });
  expect(parseServeOptions(['--prot', '1'], '/work')).toEqual({ problem: "unknown option '--prot'\n(Did you mean --port?)" });
  expect(parseServeOptions(['--help'], '/work')).toMatchObject({ help: expect.stringContaining('--port <number>') });
});

test.each([
  [['--port', '65536'], /not a port/],
  [['--port', '1e3'], /not a port/],
  [['--map', '=x'], /not FROM=TO/],
  [['--map', 'x='], /not FROM=TO/],
  [['--home', ''], /empty/],
  [['--home'], /argument missing/],
])('%j is refused', (args, why) => {
  expect(parseServeOptions(args, '/')).toEqual({ problem: expect.stringMatching(why) });
});

test('options reach the engine through its environment', () => {
  const options = { home: '/h', add: ['/a=b'], map: ['/x=/y'], noIndex: true };
  expect(decodeOptions({ RETRACE_OPTIONS: encodeOptions(options) })).toEqual(options);
  expect(decodeOptions({})).toEqual({});
});
