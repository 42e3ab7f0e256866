import { expect, test } from 'vitest';
import { launchOf, type TerminalPlace } from './launch';

const resume = { argv: ['claude', '--resume', '668bfb69-92c3-4453-af88-82ab42de9ae5'], cwd: '/home/dev/my project' };

function place(platform: NodeJS.Platform, programs: string[], variables: Record<string, string> = {}): TerminalPlace {
  return { platform, variables, find: (name) => (programs.includes(name) ? (name.startsWith('/') ? name : `/usr/bin/${name}`) : null), isFolder: (path) => !path.includes('gone') };
}

test('the person’s own terminal comes first, then the system’s, each asked in its own way', () => {
  const words = ['/usr/bin/claude', '--resume', '668bfb69-92c3-4453-af88-82ab42de9ae5'];
  expect(launchOf(resume, place('linux', ['claude', 'kitty', 'x-terminal-emulator'], { TERMINAL: 'kitty' }))).toEqual({ file: '/usr/bin/kitty', args: ['--directory', '/home/dev/my project', ...words], cwd: '/home/dev/my project' });
  expect(launchOf(resume, place('linux', ['claude', 'gnome-terminal', 'x-terminal-emulator']))).toEqual({ file: '/usr/bin/x-terminal-emulator', args: ['-e', ...words], cwd: '/home/dev/my project' });
  expect(launchOf(resume, place('linux', ['claude', 'gnome-terminal', 'xterm']))).toEqual({ file: '/usr/bin/gnome-terminal', args: ['--working-directory=/home/dev/my project', '--', ...words], cwd: '/home/dev/my project' });
  expect(launchOf(resume, place('linux', ['claude', 'konsole']))).toEqual({ file: '/usr/bin/konsole', args: ['--workdir', '/home/dev/my project', '-e', ...words], cwd: '/home/dev/my project' });
  // A terminal that is named and not there is passed over; one that is not known is asked as xterm is.
  expect(launchOf(resume, place('linux', ['claude', 'xterm'], { TERMINAL: 'nowhere' }))).toMatchObject({ file: '/usr/bin/xterm' });
  expect(launchOf(resume, place('linux', ['claude', '/opt/rare-term'], { TERMINAL: '/opt/rare-term' }))).toMatchObject({ file: '/opt/rare-term', args: ['-e', ...words] });
});

test('without a terminal or without the program it says so', () => {
  expect(launchOf(resume, place('linux', ['claude']))).toEqual({ refused: 'No terminal was found: $TERMINAL names none, and none of those that are usual is installed. Copy the command instead.' });
  expect(launchOf(resume, place('linux', ['xterm']))).toEqual({ refused: 'claude is not on the PATH that Retrace was started with. Copy the command, and run it in your terminal.' });
});

test('only commands of agents, in a folder that is there, without control characters', () => {
  const at = place('linux', ['claude', 'sh', 'xterm']);
  expect(launchOf({ argv: ['sh', '-c', 'true'], cwd: '/tmp' }, at)).toEqual({ refused: 'This is no command of an agent: it is not started.' });
  expect(launchOf({ argv: [], cwd: '/tmp' }, at)).toMatchObject({ refused: expect.any(String) });
  expect(launchOf({ argv: ['/tmp/claude'], cwd: '/tmp' }, at)).toMatchObject({ refused: expect.any(String) });
  expect(launchOf({ argv: ['claude', 'a\nb'], cwd: '/tmp' }, at)).toMatchObject({ refused: expect.stringContaining('characters') });
  expect(launchOf({ argv: ['claude'], cwd: '/gone' }, at)).toEqual({ refused: 'The folder /gone is not there.' });
  expect(launchOf({ argv: ['claude'], cwd: 'relative' }, at)).toMatchObject({ refused: expect.stringContaining('No folder') });
  expect(launchOf({ argv: ['claude'], cwd: null }, at)).toMatchObject({ refused: expect.stringContaining('No folder') });
});

test('on a Mac the file that Terminal runs has every word quoted', () => {
  const launch = launchOf({ argv: ['aider', '--chat-history-file', "it's $(touch x)`y`.md"], cwd: "/Users/dev/o'brien" }, place('darwin', []));
  expect(launch).toEqual({
    file: '/usr/bin/open', args: ['-a', 'Terminal'], cwd: "/Users/dev/o'brien",
    script: [
      '#!/bin/sh', 'rm -f -- "$0"',
      `exec "\${SHELL:-/bin/zsh}" -l -c 'cd '\\''/Users/dev/o'\\''\\'\\'''\\''brien'\\'' && exec '\\''aider'\\'' '\\''--chat-history-file'\\'' '\\''it'\\''\\'\\'''\\''s $(touch x)\`y\`.md'\\'''`, '',
    ].join('\n'),
  });
});

test('on Windows cmd.exe gets plain words only', () => {
  const at = place('win32', [], { SystemRoot: 'C:\\Windows' });
  expect(launchOf({ argv: ['codex', 'resume', '019a'], cwd: 'C:\\work\\my project' }, at)).toEqual({ file: 'C:\\Windows\\System32\\cmd.exe', args: ['/d', '/k', 'codex', 'resume', '019a'], cwd: 'C:\\work\\my project' });
  for (const word of ['a&calc', 'a b', '%PATH%', 'a^b', 'a"b', 'a|b', '(a)', 'a!b']) expect(launchOf({ argv: ['codex', word], cwd: 'C:\\work' }, at)).toMatchObject({ refused: expect.stringContaining('cmd.exe') });
});
