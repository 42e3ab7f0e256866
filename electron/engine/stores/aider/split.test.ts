import { describe, expect, test } from 'vitest';
import { projectAll, written } from './fixture-home.test-support';
import { linesOf } from './lines';
import { atBeginning, splitBlocks } from './split';

const { run, ask, answer, say } = written;
const begin = run('2026-03-01 10:00:00', 'Aider v0.86.1', 'Main model: m with diff edit format');

const rolesIn = (text: string) =>
  projectAll('/w/.aider.chat.history.md', [Buffer.from(text)]).records.slice(1).map(({ type, parts, note }) => [type, parts[0]?.text ?? null, ...(note?.['doubts'] ? [note['doubts']] : [])]);

describe('program messages', () => {
  test('only the first line of a long one is marked, and a line that ends in two blanks ends it', () => {
    const report = '# 1 SEARCH/REPLACE block failed to match!\n\n## SearchReplaceNoExactMatch: in a.md\n<<<<<<< SEARCH\n#### old\n\n> quoted\n=======\nnew\n>>>>>>> REPLACE\n\nThe SEARCH section must exactly match';
    expect(rolesIn(begin + ask('x') + answer('One.') + say('Tokens: 1 sent, 1 received.') + say(report) + answer('Two.'))).toEqual([
      ['user', 'x'], ['answer', 'One.'], ['tool/usage', 'Tokens: 1 sent, 1 received.'], ['tool/failed', report], ['answer', 'Two.'],
    ]);
  });

  test('a commit message with a body', () => {
    expect(rolesIn(begin + ask('x') + answer('One.') + say('Commit 1234567 feat: a\n\nWith a body\n- and a list') + ask('y'))).toEqual([
      ['user', 'x'], ['answer', 'One.'], ['tool/commit', 'Commit 1234567 feat: a\n\nWith a body\n- and a list'], ['user', 'y'],
    ]);
  });

  test('a long one right after an answer is told by its first words', () => {
    expect(rolesIn(begin + ask('x') + answer('One.') + say('Commit 1234567 feat: a\n\nBody') + answer('> a quote\n\nTwo.'))).toEqual([
      ['user', 'x'], ['answer', 'One.'], ['tool/commit', 'Commit 1234567 feat: a\n\nBody'], ['answer', '> a quote\n\nTwo.', ['lookalike']],
    ]);
  });

  test('lines without a mark right behind a message are more of it', () => {
    expect(rolesIn(begin + ask('/git log') + '> one  \ntwo  \nthree  \n' + ask('y'))).toEqual([['user/command', '/git log'], ['tool', 'one\ntwo\nthree'], ['user', 'y']]);
  });

  test('a quotation with two blanks at its end, which no one can tell from a message, is marked as unsure', () => {
    expect(rolesIn(begin + ask('x') + answer('He said:\n\n> no way  \n> indeed\n\nand left.') + say('Tokens: 1 sent, 1 received.'))).toEqual([
      ['user', 'x'], ['answer', 'He said:'], ['tool', 'no way\nindeed\n\nand left.', ['quote']], ['tool/usage', 'Tokens: 1 sent, 1 received.'],
    ]);
  });
});

describe('fences', () => {
  test('inside one, prompts and messages are examples, also with their blanks', () => {
    const text = 'So:\n\n```\n#### a prompt  \n\n#### another  \n\n> said  \n```\n\nDone.';
    expect(rolesIn(begin + ask('x') + answer(text) + ask('y'))).toEqual([['user', 'x'], ['answer', text, ['lookalike']], ['user', 'y']]);
  });

  test('one that is never closed ends where the program speaks again', () => {
    expect(rolesIn(begin + ask('x') + answer('```python\nprint(1)') + say('Tokens: 1 sent, 1 received.') + ask('y') + answer('Two.'))).toEqual([
      ['user', 'x'], ['answer', '```python\nprint(1)', ['fence']], ['tool/usage', 'Tokens: 1 sent, 1 received.'], ['user', 'y'], ['answer', 'Two.'],
    ]);
  });

  test('fences in the text of an edit block do not count', () => {
    const block = 'README.md\n```markdown\n<<<<<<< SEARCH\n```bash\nmake\n```\n=======\n```bash\nmake all\n>>>>>>> REPLACE\n```';
    expect(rolesIn(begin + ask('x') + answer(block) + ask('y'))).toEqual([['user', 'x'], ['answer', block], ['user', 'y']]);
  });

  test('a longer fence holds shorter ones, and code between back quotes is no fence', () => {
    const text = '````md\n```\n#### example  \n````\n\n```one``` line';
    expect(rolesIn(begin + ask('x') + answer(text) + ask('y'))).toEqual([['user', 'x'], ['answer', text, ['lookalike']], ['user', 'y']]);
  });

  test('a run begins also where a fence stands open, if it begins as runs do', () => {
    const text = begin + ask('x') + answer('```\nopen') + begin.replace('10:00', '11:00');
    expect(projectAll('/w/h.md', [Buffer.from(text)]).records.map(({ type, session }) => [type, session.split('-')[1]])).toEqual([['run', '0'], ['user', '0'], ['answer', '0'], ['run', '125']]);
  });
});

describe('prompts', () => {
  test('one right after an answer', () => {
    expect(rolesIn(begin + ask('x') + answer('One.') + ask('y') + answer('Two.'))).toEqual([['user', 'x'], ['answer', 'One.'], ['user', 'y'], ['answer', 'Two.']]);
  });

  test('a heading of four hashes has no blanks at its end', () => {
    expect(rolesIn(begin + ask('x') + answer('#### Why\n\nBecause.\n\n#### And\n\nso on'))).toEqual([['user', 'x'], ['answer', '#### Why\n\nBecause.\n\n#### And\n\nso on', ['lookalike']]]);
  });

  test('an empty one, and one of many lines', () => {
    expect(rolesIn(begin + ask('<blank>') + ask('a\n\nb\n#### c'))).toEqual([['user', '<blank>'], ['user', 'a\n\nb\n#### c']]);
  });

  test('a command that talks to the model is written once more as a prompt', () => {
    const { records } = projectAll('/w/h.md', [Buffer.from(begin + ask('/ask why?') + ask('why?') + answer('So.'))]);
    expect(records.slice(1, 3).map(({ type, note }) => [type, note?.['echo'] ?? false])).toEqual([['user/command', false], ['user', true]]);
  });
});

test('without the blanks at line ends roles are told by beginnings', () => {
  const text = (begin + ask('x') + answer('> quoted') + say('Tokens: 1 sent, 1 received.') + ask('y\nz') + answer('Two.')).replace(/ +$/gm, '');
  expect(rolesIn(text)).toEqual([['user', 'x'], ['tool', 'quoted'], ['tool/usage', 'Tokens: 1 sent, 1 received.'], ['user', 'y\nz'], ['answer', 'Two.']]);
  expect(projectAll('/w/h.md', [Buffer.from(text)]).evidence[0]?.data['trimmed']).toBe(true);
});

describe('a block that is too long', () => {
  const long = Array.from({ length: 40 }, (_, line) => `line ${line} of a long answer`).join('\n\n');
  const lines = linesOf(Buffer.from(begin + ask('x') + answer(long) + say('Tokens: 1 sent, 1 received.')), 0);

  test('is cut at lines, and what follows is more of it', () => {
    const { blocks } = splitBlocks(lines, atBeginning, 400);
    expect(blocks.map(({ kind, continues }) => [kind, continues])).toEqual([['run', false], ['user', false], ['answer', false], ['answer', true], ['answer', true], ['tool', false]]);
    const answers = blocks.filter(({ kind }) => kind === 'answer');
    expect(answers.every(({ at, end }) => end - at < 440)).toBe(true);
  });

  test('reads the same from any of its pieces on', () => {
    const whole = splitBlocks(lines, atBeginning, 400).blocks;
    const bytes = Buffer.from(begin + ask('x') + answer(long) + say('Tokens: 1 sent, 1 received.'));
    for (const [index, block] of whole.entries()) {
      const again = splitBlocks(linesOf(bytes.subarray(block.at), block.at), block.before, 400).blocks;
      expect(again.map(({ kind, at, end }) => [kind, at, end])).toEqual(whole.slice(index).map(({ kind, at, end }) => [kind, at, end]));
    }
  });
});
