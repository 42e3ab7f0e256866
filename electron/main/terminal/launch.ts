import { posix, win32 } from 'node:path';

/** A command as the engine tells it: words and a folder, never a line for a shell. */
export interface ResumeCommand {
  argv: string[];
  cwd: string | null;
}

/** What is looked at of this machine to decide how a terminal is opened; tests give their own. */
export interface TerminalPlace {
  platform: NodeJS.Platform;
  variables: Record<string, string | undefined>;
  /** The whole path of a program, as PATH has it; null: it is not there. */
  find(program: string): string | null;
  isFolder(path: string): boolean;
}

/** A program to start with its words; `script`: what a file of its own has to say first (macOS). */
export type Launch = { file: string; args: string[]; cwd: string; script?: string } | { refused: string };

/** The programs that agents are. The engine's stores name no other; anything else is a fault, and is not started. */
const programs = new Set(['claude', 'opencode', 'codex', 'aider']);
const longestWord = 4_096;
const control = /[\u0000-\u001f\u007f]/;
/** Words that cmd.exe, which starts what npm installs, takes as they are. */
const plainOnWindows = /^[\w.:\\/@=+-]+$/;

/** How a terminal of the person is opened on a command; a sentence where it is not. */
export function launchOf({ argv, cwd }: ResumeCommand, place: TerminalPlace): Launch {
  const [program = ''] = argv;
  if (!programs.has(program)) return { refused: 'This is no command of an agent: it is not started.' };
  if (argv.some((word) => word.length > longestWord || control.test(word)) || (cwd !== null && control.test(cwd))) return { refused: 'The command has characters that no terminal is given. Copy it instead.' };
  const paths = place.platform === 'win32' ? win32 : posix;
  if (cwd === null || !paths.isAbsolute(cwd)) return { refused: 'No folder is recorded to start it in. Copy the command instead.' };
  if (!place.isFolder(cwd)) return { refused: `The folder ${cwd} is not there.` };
  if (place.platform === 'win32') return onWindows(argv, cwd, place);
  if (place.platform === 'darwin') return onMac(argv, cwd);
  return onLinux(argv, cwd, place);
}

/** How terminals take words to start. One that is not known is asked in xterm's way, which most take. */
const forms: Record<string, (argv: string[], cwd: string) => string[]> = {
  'gnome-terminal': (argv, cwd) => [`--working-directory=${cwd}`, '--', ...argv],
  kgx: (argv, cwd) => [`--working-directory=${cwd}`, '--', ...argv],
  ptyxis: (argv, cwd) => [`--working-directory=${cwd}`, '--new-window', '--', ...argv],
  konsole: (argv, cwd) => ['--workdir', cwd, '-e', ...argv],
  'xfce4-terminal': (argv, cwd) => [`--working-directory=${cwd}`, '-x', ...argv],
  'mate-terminal': (argv, cwd) => [`--working-directory=${cwd}`, '-x', ...argv],
  kitty: (argv, cwd) => ['--directory', cwd, ...argv],
  alacritty: (argv, cwd) => ['--working-directory', cwd, '-e', ...argv],
  foot: (argv, cwd) => [`--working-directory=${cwd}`, ...argv],
  wezterm: (argv, cwd) => ['start', '--cwd', cwd, '--', ...argv],
  ghostty: (argv, cwd) => [`--working-directory=${cwd}`, '-e', ...argv],
};
const usual = (argv: string[]): string[] => ['-e', ...argv];

/** In the order in which they are looked for: the person's own, the system's, then the widespread ones. */
const known = ['x-terminal-emulator', 'gnome-terminal', 'kgx', 'ptyxis', 'konsole', 'xfce4-terminal', 'mate-terminal', 'kitty', 'alacritty', 'foot', 'wezterm', 'ghostty', 'xterm'];

function onLinux(argv: string[], cwd: string, { variables, find }: TerminalPlace): Launch {
  const [program = '', ...words] = argv;
  // A window of a desktop often has a shorter PATH than a shell: the terminal would open and close.
  const file = find(program);
  if (file === null) return { refused: `${program} is not on the PATH that Retrace was started with. Copy the command, and run it in your terminal.` };
  const own = variables['TERMINAL'];
  for (const name of [...(own ? [own] : []), ...known]) {
    const terminal = find(name);
    if (terminal !== null) return { file: terminal, args: (forms[posix.basename(name)] ?? usual)([file, ...words], cwd), cwd };
  }
  return { refused: 'No terminal was found: $TERMINAL names none, and none of those that are usual is installed. Copy the command instead.' };
}

/** A single-quoted word is taken by sh as it is, whatever is in it. */
const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** Terminal takes no words, only a file that it runs: it has the command, every word quoted, and takes itself away first. */
function onMac(argv: string[], cwd: string): Launch {
  // A login shell, since that is where PATH is told.
  const inner = `cd ${quoted(cwd)} && exec ${argv.map(quoted).join(' ')}`;
  return { file: '/usr/bin/open', args: ['-a', 'Terminal'], cwd, script: `#!/bin/sh\nrm -f -- "$0"\nexec "\${SHELL:-/bin/zsh}" -l -c ${quoted(inner)}\n` };
}

/** A console window of its own; Windows shows it in the terminal the person has chosen. Words are only given on where cmd.exe reads nothing into them. */
function onWindows(argv: string[], cwd: string, { variables }: TerminalPlace): Launch {
  if (!argv.every((word) => plainOnWindows.test(word))) return { refused: 'The command has characters that cmd.exe would read as its own. Copy it instead.' };
  return { file: win32.join(variables['SystemRoot'] ?? 'C:\\Windows', 'System32', 'cmd.exe'), args: ['/d', '/k', ...argv], cwd };
}
