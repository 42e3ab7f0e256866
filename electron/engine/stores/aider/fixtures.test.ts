import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionDetail } from '@shared/model';
import { type Fixture, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { Shelf } from '../acceptance';
import { type ExpectedHistory, aiderWith, historiesOf, placedIn, projectAll } from './fixture-home.test-support';
import { aider } from '.';

type Content = ReturnType<Shelf['content']>;

/** A fixture read into a library, its sessions in the order of their start and place. */
function opened(family: 'aider' | 'field', name: string, folders: string[]): { at(index: number): Content[number]; all(): Content; fixture(): Fixture } {
  let fixture: Fixture;
  let sessions: Content = [];
  beforeAll(async () => {
    fixture = openFixture(family, name);
    const shelf = new Shelf(fixture.home, aiderWith(folders));
    await shelf.pass();
    const place = ({ detail }: Content[number]) => `${detail.summary.directory} ${detail.summary.created} ${detail.summary.nativeId.split('-')[1]?.padStart(9, '0')}`;
    sessions = shelf.content().sort((a, b) => (place(a) < place(b) ? -1 : 1));
    shelf.dispose();
  });
  afterAll(() => fixture.dispose());
  return {
    at(index) {
      const session = sessions[index];
      if (!session) throw new Error(`there is no session ${index}`);
      return session;
    },
    all: () => sessions,
    fixture: () => fixture,
  };
}

const spoken = (session: Content[number]) => session.parts.filter(({ kind }) => kind === 'text' || kind === 'command').map(({ message, text }) => [message.role, text?.text]);
const summary = ({ detail }: Content[number]) => detail.summary;
const texts = (notices: SessionDetail['notices']) => notices.map(({ text }) => text);

/** Every entry the program wrote, against every record: the same bytes, the same role, the same text. */
describe.each(fixtureNames('aider'))('%s, entry by entry', (name) => {
  test.each(historiesOf(name).map((history) => [history.file, history] as const))('%s', (file, history) => {
    const fixture = openFixture('aider', name);
    const bytes = readFileSync(placedIn(fixture.home, file));
    fixture.dispose();
    const { records, damage } = projectAll('/x/.aider.chat.history.md', [bytes]);
    expect(damage).toEqual([]);
    expect([...new Set(records.map(({ session }) => Number(session.split('-')[1])))]).toEqual(history.sessions.map((session) => session.byte_start));
    for (const session of history.sessions) {
      const own = records.filter((record) => record.session.endsWith(`-${session.byte_start}`));
      expect(inOrder(own)).toEqual(expectedOrder(session));
    }
  });
});

interface Said {
  role: string;
  at: number;
  text: string;
}

/** Program messages in a row count as one, for they make one record or several. */
function joined(said: Said[]): Said[] {
  const rows: Said[] = [];
  for (const entry of said) {
    const last = rows.at(-1);
    if (last && last.role === 'tool' && entry.role === 'tool') last.text += `\n${entry.text}`;
    else rows.push({ ...entry });
  }
  return rows.map((row) => ({ ...row, text: row.text.trim() }));
}

function inOrder(records: ReturnType<typeof projectAll>['records']): Said[] {
  return joined(records.flatMap(({ type, at, parts, note }) => {
    if (type === 'user' || type === 'user/command') return [{ role: 'user', at, text: parts[0]?.text ?? '' }];
    if (type === 'answer') return [{ role: 'assistant', at, text: parts[0]?.text ?? '' }];
    const text = type === 'tool/applied' ? `Applied edit to ${String(note?.['path'])}` : (parts[0]?.text ?? '');
    return text === '' ? [] : [{ role: 'tool', at, text }];
  })).map((row) => ({ ...row, at: row.role === 'tool' ? -1 : row.at }));
}

/** Blanks at the end of a prompt's lines are not in the file (a fact of the format, not of the reader). */
function expectedOrder(session: ExpectedHistory['sessions'][number]): Said[] {
  const said = session.entries.map(({ role, bytes, text }) => ({ role, at: role === 'tool' ? -1 : bytes[0], text: role === 'user' ? text.replace(/ +$/gm, '') : text }));
  return joined(said);
}

describe('basic', () => {
  const sessions = opened('aider', 'basic', ['proj/calc']);

  test('four runs of one file are four sessions', () => {
    expect(sessions.all().map(summary).map(({ nativeId, title, created, updated, model, counts, tokens, compactions, reverted, parent }) => ({
      place: nativeId.split('-')[1], title, created, updated, model, counts, tokens, compactions, reverted, parent: parent && [parent.id.split('-').at(-1), parent.kind, parent.certainty],
    }))).toEqual([
      {
        place: '0', title: 'add a subtract function', created: '2026-11-29T15:40:36.000', updated: '2026-11-29T15:40:38.000', model: 'gpt-4o',
        counts: { messages: 12, user: 7, assistant: 5, toolCalls: 4, parts: 27 }, tokens: { input: 4500, output: 600, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
        compactions: 0, reverted: true, parent: null,
      },
      {
        place: '3128', title: 'make PI more precise', created: '2026-11-29T15:40:45.000', updated: '2026-11-29T15:40:45.000', model: 'gpt-4o',
        counts: { messages: 8, user: 6, assistant: 2, toolCalls: 1, parts: 18 }, tokens: { input: 1800, output: 240, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
        compactions: 0, reverted: false, parent: null,
      },
      {
        place: '4440', title: 'go on', created: '2026-11-29T15:40:53.000', updated: '2026-11-29T15:40:54.000', model: 'gpt-4o',
        counts: { messages: 4, user: 3, assistant: 1, toolCalls: 0, parts: 7 }, tokens: { input: 900, output: 120, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
        compactions: 0, reverted: false, parent: ['3128', 'resume', 'recorded'],
      },
      {
        place: '5267', title: 'one more digit please', created: '2026-11-29T15:41:02.000', updated: '2026-11-29T15:41:04.609', model: 'gpt-4o',
        counts: { messages: 2, user: 1, assistant: 1, toolCalls: 1, parts: 6 }, tokens: { input: 900, output: 120, reasoning: 0, cacheRead: 0, cacheWrite: 0 },
        compactions: 0, reverted: false, parent: null,
      },
    ]);
    const folder = `${sessions.fixture().home}/proj/calc`;
    for (const { detail } of sessions.all()) {
      expect([detail.agentVersion, detail.condition, detail.summary.directory, detail.summary.project]).toEqual(['0.86.3.dev+import', 'finished', folder, 'calc']);
    }
  });

  test('commits are tied to the turn that made them, and the one undone says so', () => {
    const rows = sessions.at(0).parts.filter(({ kind }) => kind === 'patch' || kind === 'text' || kind === 'command').map(({ kind, title, text, state, reason, message }) =>
      kind === 'patch' ? [title, state, reason, message.nativeId] : [message.role, text?.text.split('\n')[0]]);
    expect(rows).toEqual([
      ['user', 'add a subtract function'], ['assistant', "I'll add `subtract`."], ['Commit c9ad23e feat: add subtract function', 'live', 'Aider’s own line: it is not sent.', '749'],
      ['user', 'also handle multiplication'], ['assistant', 'Adding multiply.'],
      ['Commit 7281557 feat: add multiply function', 'reverted', 'Commit 7281557 was taken back with /undo.', '1221'],
      ['user', '/undo'], ['user', '/ask why did you use a star?'], ['user', 'why did you use a star?'], ['assistant', 'Because `*` is the multiplication operator.'],
      ['user', 'rename add to plus'], ['assistant', 'Renaming (this block does not match).'], ['assistant', 'Sorry, here is the exact block.'],
      ['Commit 76c18f1 refactor: rename add to plus', 'live', 'Aider’s own line: it is not sent.', '2740'], ['user', '/exit'],
    ]);
    expect(sessions.at(0).detail.checkpoints.map(({ id, message, note }) => [id, message?.split('#')[1], note])).toEqual([
      ['c9ad23e', '1149', 'Commit c9ad23e: feat: add subtract function'],
      ['7281557', '1627', 'Commit 7281557: feat: add multiply function (taken back with /undo)'],
      ['76c18f1', '3114', 'Commit 76c18f1: refactor: rename add to plus'],
    ]);
    expect(texts(sessions.at(0).detail.notices)).toEqual(['/undo took back commit 7281557 (feat: add multiply function); the project was at c9ad23e then. What was said stays in the conversation.']);
  });

  test('the work of the person that Aider committed first is told from the edit of the model', () => {
    expect(sessions.at(1).detail.checkpoints.map(({ id, message, note }) => [id, message?.split('#')[1], note])).toEqual([
      ['6f9536a', '3674', "Commit 6f9536a: chore: user's PI constant (changes of the person, committed by Aider)"],
      ['31c0643', '4053', 'Commit 31c0643: fix: more precise PI'],
    ]);
  });

  test('edits are diffs, with what became of them', () => {
    const edits = sessions.at(0).parts.filter(({ tool }) => tool).map(({ tool }) => [tool?.target, tool?.status, tool?.output?.text.split('\n').at(-1), tool?.note]);
    expect(edits).toEqual([
      ['calc.py', 'completed', 'Applied edit to calc.py', null],
      ['calc.py', 'completed', 'Applied edit to calc.py', 'Taken back: commit 7281557 was removed with /undo.'],
      ['calc.py', 'error', undefined, 'Not applied: the program says why in its report below.'],
      ['calc.py', 'completed', 'Applied edit to calc.py', null],
    ]);
    const [first] = sessions.at(0).parts.flatMap(({ tool }) => tool?.edits ?? []);
    expect(first).toEqual({
      path: 'calc.py', kind: 'edit', added: 4, removed: 0,
      patch: '--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,6 @@\n def add(a, b):\n     return a + b\n+\n+\n+def subtract(a, b):\n+    return a - b\n',
    });
  });

  test('what was cleared is not what the model has', () => {
    const rows = sessions.at(1).parts.filter(({ kind }) => kind === 'text').map(({ text, state, seen, reason }) => [text?.text.split('\n')[0], state, seen, reason]);
    const reason = 'The conversation was cleared after this: the model no longer gets it.';
    expect(rows).toEqual([['make PI more precise', 'cleared', false, reason], ['calc.py', 'cleared', false, reason], ['what is PI?', 'live', true, null], ['PI is 3.14159.', 'live', true, null]]);
  });

  test('a restored run says what it restored, and a failed prompt that nothing answered it', () => {
    expect(texts(sessions.at(2).detail.notices)).toEqual([
      'Aider restored the whole history file into this run, read by line beginnings alone: program messages, files in the chat and borders of runs were lost, and what had been cleared or undone came back.',
      'No answer to this prompt was recorded.',
    ]);
    expect(sessions.at(2).parts.find(({ nativeId }) => nativeId === '5167')?.text?.text).toBe('bad key\nThe API provider is not able to authenticate you. Check your API key.');
  });
});

describe('attribution', () => {
  const sessions = opened('aider', 'attribution', ['proj/attr']);

  test('each run names its commit by hash, whoever git says the author is', () => {
    expect(sessions.all().map(({ detail }) => [detail.summary.title, detail.summary.created, detail.checkpoints.map(({ note }) => note)])).toEqual([
      ['set x to 2', '2026-11-29T15:41:12.000', ['Commit ff5c5c2: feat: two']],
      ['set x to 3', '2026-11-29T15:41:21.000', ['Commit 5d0d4ed: feat: three']],
      ['set x to 4', '2026-11-29T15:41:31.000', ['Commit 8e014e1: aider: feat: four']],
      ['set x to 5', '2026-11-29T15:41:39.000', ['Commit 4c55f4c: feat: five']],
      ['set x to 6', '2026-11-29T15:41:46.000', ['Commit ef11b04: feat: six']],
      ['set x to 7', '2026-11-29T15:41:54.000', []],
      ['/commit', '2026-11-29T15:42:04.000', ['Commit 8a3cb6c: chore: eight by hand (changes of the person, committed by Aider)']],
      [null, '2026-11-29T15:42:11.000', ['Commit 06cc123: chore: nine by hand (changes of the person, committed by Aider)']],
    ]);
  });

  test('without a commit the diff is that of the answer', () => {
    const [edit] = sessions.at(5).parts.flatMap(({ tool }) => tool?.edits ?? []);
    expect(edit).toEqual({ path: 'a.py', kind: 'edit', added: 1, removed: 1, patch: '--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x = 6\n+x = 7\n' });
  });

  test('typed prompts give a run its last time', () => {
    expect(sessions.all().map(({ detail }) => detail.summary.updated)).toEqual([
      '2026-11-29T15:41:14.165', '2026-11-29T15:41:23.383', '2026-11-29T15:41:33.645', '2026-11-29T15:41:40.781', '2026-11-29T15:41:47.588', '2026-11-29T15:41:56.236',
      '2026-11-29T15:42:04.000', '2026-11-29T15:42:11.000',
    ]);
  });
});

describe('interactive', () => {
  const sessions = opened('aider', 'interactive', ['proj/inter']);

  test('what was said', () => {
    expect(spoken(sessions.at(0))).toEqual([
      ['user', 'give me an add function'],
      ['assistant', 'Use append.\n\ntodo.py\n```python\n<<<<<<< SEARCH\nitems = []\n=======\nitems = []\n\n\ndef add(x):\n    items.append(x)\n>>>>>>> REPLACE\n```'],
      ['user', 'what about util.py\n\nthanks'], ['assistant', 'Please add `util.py` to the chat: I need to see it.'],
      ['user', 'tell me a story'], ['user', 'anything else'], ['assistant', 'Done talking.'], ['user', '/exit'],
    ]);
    expect(summary(sessions.at(0)).counts).toEqual({ messages: 8, user: 5, assistant: 3, toolCalls: 1, parts: 16 });
  });

  test('a question of the program with its answer, and an interrupt', () => {
    expect(sessions.at(0).parts.filter(({ kind }) => kind === 'notice').slice(1).map(({ title, text }) => [title, text?.text])).toEqual([
      ['util.py', "util.py\nAdd file to the chat? (Y)es/(N)o/(D)on't ask again [Yes]: n"],
      ['^C again to exit', '\n\n^C again to exit'],
    ]);
    expect(sessions.at(0).detail.notices.map(({ kind, text, message }) => [kind, text, message?.split('#')[1]])).toEqual([['interrupted', 'Interrupted with Ctrl-C.', '1191']]);
    expect(sessions.at(0).detail.condition).toBe('finished');
  });
});

describe('edges', () => {
  const sessions = opened('aider', 'edges', ['proj/edges']);

  test('two runs, though headers stand in prompts and answers', () => {
    expect(sessions.all().map(summary).map(({ created, counts }) => [created, counts?.user, counts?.assistant])).toEqual([['2026-11-29T15:43:02.000', 9, 8], ['2026-11-29T15:43:06.000', 4, 0]]);
  });

  test('awkward prompts and answers keep their roles', () => {
    expect(spoken(sessions.at(0)).slice(0, 15)).toEqual([
      ['user', 'show me a markdown example'],
      ['assistant', '# Title\n\nIntro text.\n\n## Section\n\n> a quoted line\n\n#### Small heading\n\nBody under the small heading.'],
      ['user', '# is this a heading?'],
      ['assistant', 'Yes:\n\n```markdown\n# aider chat started at 2019-05-05 05:05:05\n\n#### not a user line\n\n> not a tool line\n# also dropped\n```\n\nEnd of fence.'],
      ['user', '> is this a quote?'], ['assistant', '>no space after the mark\n>\n> with space\n\nplain'],
      ['user', '#### four hashes from the user'], ['assistant', '####no space\n#### with space\n##### five hashes'],
      ['user', 'first\n    indented code\n```\n# aider chat started at 2020-01-01 00:00:00\n```\nlast'],
      ['assistant', 'leading blank lines and spaces\n\ttab\n\n\n\ntriple blank above'],
      ['user', 'line one\nline two\n'], ['assistant', 'CR LF answer\r\nsecond line\r\n# heading with cr\r\n#### user-like with cr\r\nlast'],
      ['user', 'unicode separators\ninside one line'], ['assistant', 'page\fbreak and nel\u0085inside'],
      ['user', 'now a long answer'],
    ]);
  });

  test('where the format is ambiguous the choice is said', () => {
    const one = 'Reconstructed: One line of this answer begins like a prompt, a program message or a new run, and is taken for part of it. Aider itself, when it restores a history, reads such lines by their beginnings alone.';
    const two = one.replace('One line of this answer begins', '2 lines of this answer begin').replace('is taken', 'are taken');
    expect(sessions.at(0).detail.notices.map(({ text, message }) => [text, message?.split('#')[1]])).toEqual([
      [two, '695'], [two.replace('2 lines', '3 lines'), '903'], [one, '1145'], [one, '1309'], [one, '1734'],
    ]);
  });

  test('commands, known and unknown', () => {
    expect(spoken(sessions.at(1))).toEqual([['user', '/help'], ['user', '/nosuch command'], ['user', "!printf '# hash\\n#### four\\n> quote\\n\\nplain\\n'"], ['user', '/exit']]);
    expect(sessions.at(1).parts.filter(({ kind }) => kind === 'command')).toHaveLength(4);
    expect(sessions.at(1).parts.find(({ nativeId }) => nativeId === '2940')?.text?.lines).toBe(44);
  });
});

describe('places', () => {
  const sessions = opened('aider', 'places', ['.']);

  test('histories are found in the home, and below an added folder under any name that speaks of a chat', () => {
    const { home } = sessions.fixture();
    expect(sessions.all().map(({ detail }) => [detail.summary.directory?.replace(home, '~'), detail.summary.title, detail.summary.created])).toEqual([
      ['~', null, '2026-11-29T15:45:43.000'],
      ['~/proj/conf', 'which file?', '2026-11-29T15:45:35.000'],
      ['~/proj/conf', 'and now?', '2026-11-29T15:45:39.000'],
      ['~/proj/conf/notes', 'hello', '2026-11-29T15:45:29.000'],
      ['~/proj/mono', 'from the sub folder', '2026-11-29T15:45:22.000'],
      ['~/proj/other', 'file in another repo', '2026-11-29T15:45:43.000'],
      ['~/proj/plain', 'no git here', '2026-11-29T15:45:25.000'],
    ]);
  });

  test('a run with nothing in it is a session without a prompt', () => {
    expect(summary(sessions.at(0))).toMatchObject({ store: 'aider', title: null, counts: { messages: 0, user: 0, assistant: 0, toolCalls: 0, parts: 1 } });
  });

  test('entries of one input history go to the run they were typed in, over both histories of the folder', () => {
    expect([1, 2].map((index) => summary(sessions.at(index)).updated)).toEqual(['2026-11-29T15:45:36.541', '2026-11-29T15:45:40.002']);
    expect(texts(sessions.at(1).detail.notices)).toEqual(['The history has a place of its own; where Aider ran is not recorded, so the folder of the file stands for it.']);
  });
});

describe('places, deeper than an added folder is looked into', () => {
  const sessions = opened('aider', 'places', ['proj/conf/sub/notes/chat.md']);

  test('a file can be added by itself, and its run says which repository it was in', () => {
    expect(summary(sessions.at(0))).toMatchObject({ title: 'hello from sub', directory: '/home/dev/proj/conf', created: '2026-11-29T15:45:32.000' });
  });
});

describe('aider-fences', () => {
  const sessions = opened('field', 'aider-fences', ['projects/ledger']);

  test('two sessions that began in the same second', () => {
    expect(sessions.all().map(summary).map(({ nativeId, created, title }) => [nativeId.split('-')[1], created, title])).toEqual([
      ['0', '2026-10-05T09:15:00.000', 'Show how the history marks a prompt and keep it short'], ['515', '2026-10-05T09:15:00.000', 'Caf\ufffd total?'],
    ]);
  });

  test('fenced lines stay in their answer', () => {
    expect(spoken(sessions.at(0))).toEqual([
      ['user', 'Show how the history marks a prompt\nand keep it short'],
      ['assistant', 'A prompt line begins with four hashes:\n\n````md\n#### this is only an example\n> and so is this\n# aider chat started at 2020-01-01 00:00:00\n````'],
      ['user', '/undo'],
    ]);
    expect(spoken(sessions.at(1))).toEqual([['user', 'Caf\ufffd total?'], ['assistant', 'It is 12.']]);
  });

  test('the undo, the edit, and the byte that is not UTF-8', () => {
    expect(sessions.at(0).detail.notices.map(({ kind, text }) => [kind, text]).slice(1)).toEqual([
      ['other', 'Reconstructed: 3 lines of this answer begin like a prompt, a program message or a new run, and are taken for part of it. Aider itself, when it restores a history, reads such lines by their beginnings alone.'],
      ['revert', '/undo took back commit 2119951 (Round to cents); the project was at 1aa84f0 then. What was said stays in the conversation.'],
    ]);
    expect(summary(sessions.at(0)).reverted).toBe(true);
    expect(sessions.at(1).parts.filter(({ tool }) => tool).map(({ tool }) => [tool?.name, tool?.target, tool?.status, tool?.edits])).toEqual([
      ['edit', 'total.js', 'completed', [{ path: 'total.js', kind: 'edit', added: 0, removed: 0, patch: null }]],
    ]);
    expect(texts(sessions.at(1).detail.notices)).toEqual(['one byte is not UTF-8, shown as \ufffd']);
    expect(sessions.at(1).detail.damage).toEqual([{ place: '.aider.chat.history.md', line: 32, at: 637, bytes: 1, reason: 'one byte is not UTF-8, shown as \ufffd', before: 2 }]);
  });

  test('figures that Aider rounded are kept as written, and it is said', () => {
    expect(summary(sessions.at(0)).tokens).toEqual({ input: 1200, output: 80, reasoning: 0, cacheRead: 0, cacheWrite: 0 });
    expect(texts(sessions.at(0).detail.notices)[0]).toBe('Aider rounds token figures from 1,000 up to two digits: the sums are as exact as that.');
    expect(summary(sessions.at(1)).tokens).toBeNull();
  });

  test('going on is possible with the whole file only', () => {
    const { nativeId, directory } = summary(sessions.at(1));
    const commandFor = (source: string) => aider.resumeCommand(nativeId, aider.summarise(nativeId, [{ source, slot: 'run', data: { started: '2026-10-05 09:15:00' } }]));
    expect(commandFor(`${directory}/.aider.chat.history.md`)).toEqual({ argv: ['aider', '--restore-chat-history'], cwd: directory });
    expect(commandFor('/home/dev/notes/chat.md')).toEqual({ argv: ['aider', '--restore-chat-history', '--chat-history-file', '/home/dev/notes/chat.md'], cwd: '/home/dev/notes' });
  });
});
