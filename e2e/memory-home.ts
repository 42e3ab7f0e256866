import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFixture } from './fixtures';

/** Where all sessions of the home lie, and its memory. */
const project = '.claude/projects/-home-dev-projects-demo';
const recorded = (name: string) => `/home/dev/${project}/memory/${name}`;

/** Sessions of the home, by what they did to memory. */
export const rememberedSessions = {
  /** Wrote the index and a topic; two of its turns were gone back from. */
  rewound: '668bfb69-92c3-4453-af88-82ab42de9ae5',
  /** Recorded its instructions. */
  instructed: '9366ad44-0395-4b00-a902-270f7819d738',
  /** Wrote a topic; its transcript is deleted by `forget`. */
  deleted: '2b529454-02c3-408a-8984-b703e760cbf9',
  /** Wrote a topic, and was forked after that. */
  forked: '8c79ba69-f3c3-4e6e-8769-51c5ae17641c',
  fork: '3419ba3e-4eb6-48dd-92f7-057ce8956c77',
};

/** What the recorded file tools are made to have written: paths, then words. Longer texts come before their beginnings. */
const wordings: Record<string, [string, string][]> = {
  rewind: [
    ['/home/dev/projects/demo/greet.js', recorded('MEMORY.md')],
    ['/home/dev/projects/demo/app.js', recorded('debugging.md')],
    ['export function greet(name) {', '- Greeting: greet'],
    ['export function greet(name)', '- Greeting: greet'],
    ['export function salute(name) {', '- Ship on Fridays\n- Greeting: salute'],
    ['export function salute(name)', '- Ship on Fridays\n- Greeting: salute'],
    ['export function welcome(name)', '- Ship on Fridays\n- Greeting: welcome'],
    ['return ("hello " + name).toUpperCase() + "!";', '- Say hello, loudly'],
    ['return "hello " + name;', '- Say hello'],
    ['\n}\n', '\n- Keep it short\n'],
    ['import { greet } from "./greet.js";\nconsole.log(greet("dev"));', '# Debugging\n- Run with --trace'],
    ['console.log("start");', '# Debugging'],
    ['export const version = 1;', '- Logs lie in /tmp/demo'],
    ['export const version = 2;', '- Logs lie in /var/demo'],
  ],
  compact: [
    ['/home/dev/projects/demo/parser.js', recorded('parser.md')],
    ['export function parse(s) {', '# Parser'],
    ['  const stack = [];', '- Open brackets wait on a stack'],
  ],
  fork: [
    ['/home/dev/projects/demo/counter.test.js', recorded('testing.md')],
    ['import { counter } from "./counter.js";', '# Testing'],
    ['const c = counter(4);', '- Begin the counter at 4'],
    ['if (c() !== 5) throw new Error("bad");', '- It must say 5 next'],
    ['console.log("ok");', '- Print ok at the end'],
  ],
  features: [],
};

/** Lines that a person put under the index by hand: with them it is longer than what is loaded. */
const byHand = Array.from({ length: 230 }, (_, at) => `- Note ${at + 1} of a person`);

/** The texts that the recorded calls and the person left. */
const files: Record<string, string> = {
  'MEMORY.md': `- Ship on Fridays\n- Greeting: welcome\n  - Say hello, loudly\n- Keep it short\n\n${byHand.join('\n')}\n`,
  'debugging.md': '# Debugging\n- Run with --trace\n- Logs lie in /tmp/demo\n',
  'parser.md': '# Parser\n- Open brackets wait on a stack\n',
  'by-hand.md': 'Nobody recorded this.\n',
};

const lastChange = new Date('2026-11-29T16:00:00Z');

export interface RememberedHome {
  home: string;
  /** The folder of memory. */
  folder: string;
  /** Deletes a transcript as the program does when it is old. */
  forget(): void;
  dispose(): void;
}

/**
 * A home with auto memory. No fixture has memory that a model wrote, so this one is put together from real transcripts:
 * their recorded file tools are pointed at the files of the project's memory, record by record, their words with them
 * (texts, text before each edit, results), and the files lie there as those calls and a person would have left them.
 */
export function memoryHome(): RememberedHome {
  const [base, ...others] = Object.keys(wordings).map((name) => ({ name, fixture: openFixture('claude-code', name) }));
  if (!base) throw new Error('there is no fixture to begin with');
  const { home } = base.fixture;
  const folder = join(home, project, 'memory');
  const fileOf = (session: string) => join(home, project, `${session}.jsonl`);
  for (const { fixture } of others) {
    cpSync(join(fixture.home, project), join(home, project), { recursive: true });
    fixture.dispose();
  }
  const { rewound, deleted, forked, fork } = rememberedSessions;
  for (const [session, name] of [[rewound, 'rewind'], [deleted, 'compact'], [forked, 'fork'], [fork, 'fork']] as const) reword(fileOf(session), wordings[name] ?? []);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'testing.md'), writtenTo(fileOf(forked), recorded('testing.md')));
  for (const name of [...Object.keys(files), 'testing.md']) utimesSync(join(folder, name), lastChange, lastChange);
  return { home, folder, forget: () => rmSync(fileOf(deleted)), dispose: () => base.fixture.dispose() };
}

function reword(file: string, words: [string, string][]): void {
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line !== '');
  writeFileSync(file, lines.map((line) => `${JSON.stringify(reworded(JSON.parse(line), words))}\n`).join(''));
}

function reworded(value: unknown, words: [string, string][]): unknown {
  if (typeof value === 'string') return words.reduce((text, [from, to]) => text.replaceAll(from, () => to), value);
  if (Array.isArray(value)) return value.map((each) => reworded(each, words));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, reworded(each, words)]));
}

/** The text that a recorded Write left. */
function writtenTo(file: string, path: string): string {
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { toolUseResult } = JSON.parse(line) as { toolUseResult?: { filePath?: string; content?: string } };
    if (toolUseResult?.filePath === path && typeof toolUseResult.content === 'string') return toolUseResult.content;
  }
  throw new Error(`${file} writes no ${path}`);
}
