import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenPart, type DrivenSession, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

function open(name: string, change?: (home: string) => void): DrivenStore {
  const fixture = openFixture('claude-code', name);
  opened.push(fixture);
  change?.(fixture.home);
  return drive(claudeCode, fixture.home);
}

const mainOf = (store: DrivenStore): DrivenSession => [...store.sessions.values()].find(({ facts }) => facts.kind === 'session' && !facts.ignored) as DrivenSession;

function partWhere(session: DrivenSession, found: (part: DrivenPart) => boolean): DrivenPart {
  const part = session.parts.find(found);
  if (!part) throw new Error('no such part');
  return part;
}

const call = (session: DrivenSession, name: string, title: string): DrivenPart => partWhere(session, (part) => part.fact.tool?.name === name && part.fact.title === title);

describe('prose', () => {
  const store = open('features');
  const session = mainOf(store);
  const textOf = (found: (part: DrivenPart) => boolean) => store.body(partWhere(session, found)).text;

  test('is shown as it was written; commands and their outputs without their tags', () => {
    expect(textOf((part) => part.record.message?.prompt === true)).toBe('Please look at the picture @square.png');
    expect(textOf((part) => part.fact.title === '!echo from the shell')).toBe('!echo from the shell');
    expect(textOf((part) => part.fact.title === 'from the shell')).toBe('from the shell');
    expect(textOf((part) => part.fact.title === '/hello you')).toBe('/hello you');
    expect(textOf((part) => part.record.type === 'attachment/queued_command')).toBe('A queued remark for you');
  });

  test('what the model was given besides is shown as it got it', () => {
    expect(textOf((part) => part.record.type === 'attachment/date')).toBe("<system-reminder>\nToday's date is 2026-11-29.\n</system-reminder>");
    expect(textOf((part) => part.record.type === 'attachment/instructions')).toBe('/home/dev/projects/demo/CLAUDE.md\n\nUse two spaces.');
    expect(textOf((part) => part.record.type === 'attachment/prompt_snapshot')).toMatch(/^\nYou are an agent/);
  });

  test('bookkeeping is shown, and never searched', () => {
    const bookkeeping = session.parts.filter((part) => /attachment\/(environment|model|date|skill_listing|prompt_snapshot|agent_listing_delta|deferred_tools_delta)/.test(part.record.type));
    expect(bookkeeping.length).toBeGreaterThan(6);
    expect(bookkeeping.every((part) => part.fact.text === null && part.fact.injected && part.fact.kind === 'notice' && part.fact.size > 0)).toBe(true);
  });

  test('a picture that was mentioned', () => {
    const picture = store.body(partWhere(session, (part) => part.fact.kind === 'file'));
    expect(picture.text).toBeNull();
    expect(picture.file).toMatchObject({ source: '/home/dev/projects/demo/square.png', image: { mime: 'image/png' } });
    expect(Buffer.from(picture.file?.image?.data ?? '', 'base64')).toHaveLength(75);
  });

  test('a compaction says what it did', () => {
    const compact = open('compact');
    const boundary = partWhere(mainOf(compact), (part) => part.fact.kind === 'compaction');
    expect(boundary.fact.title).toBe('Compacted by command at 2,621 tokens, 3,750 after');
    expect(compact.body(boundary).text).toBe('Compacted by command at 2,621 tokens, 3,750 after.\n2 records before it were kept in view.\nIt took 0.2 s.');
  });
});

describe('tools', () => {
  const store = open('rewind');
  const session = mainOf(store);

  test('an edit is a unified patch, with its count of lines on the folded row', () => {
    const edit = partWhere(session, (part) => part.fact.tool?.name === 'Edit' && part.fact.title?.endsWith('greet.js') === true);
    expect(edit.result?.fact).toMatchObject({ status: 'completed', added: 1, removed: 1 });
    expect(store.body(edit).tool).toMatchObject({
      target: '/home/dev/projects/demo/greet.js',
      edits: [{
        path: '/home/dev/projects/demo/greet.js', kind: 'edit', added: 1, removed: 1,
        patch: '--- a/home/dev/projects/demo/greet.js\n+++ b/home/dev/projects/demo/greet.js\n@@ -1,3 +1,3 @@\n export function greet(name) {\n-  return "hello " + name;\n+  return ("hello " + name).toUpperCase() + "!";\n }\n',
      }],
    });
  });

  test('a created file is a patch from nothing', () => {
    const write = partWhere(session, (part) => part.fact.tool?.name === 'Write');
    expect(write.result?.fact).toMatchObject({ status: 'completed', added: 3, removed: 0 });
    expect(store.body(write).tool?.edits).toEqual([{
      path: '/home/dev/projects/demo/greet.js', kind: 'create', added: 3, removed: 0,
      patch: '--- /dev/null\n+++ b/home/dev/projects/demo/greet.js\n@@ -0,0 +1,3 @@\n+export function greet(name) {\n+  return "hello " + name;\n+}\n',
      recorded: { before: null, after: 'export function greet(name) {\n  return "hello " + name;\n}\n' },
    }]);
  });

  test('search finds the values of an input, not its JSON', () => {
    const write = partWhere(session, (part) => part.fact.tool?.name === 'Write');
    expect(write.fact.text).toBe('/home/dev/projects/demo/greet.js\nexport function greet(name) {\n  return "hello " + name;\n}\n');
    expect(write.fact.size).toBe(write.fact.text?.length);
  });

  test('a command: input, output, how it ended', () => {
    const errors = open('errors');
    const main = mainOf(errors);
    expect(errors.body(call(main, 'Bash', 'ls /nowhere; exit 3')).tool).toMatchObject({
      input: 'ls /nowhere; exit 3', output: "Exit code 3\nls: cannot access '/nowhere': No such file or directory", exitCode: 3, edits: [], child: null, note: null,
    });
    const statuses = main.parts.filter((part) => part.fact.kind === 'tool').map((part) => [part.fact.title, part.result?.fact.status]);
    expect(statuses).toEqual([
      ['ls /nowhere; exit 3', 'error'], ['/home/dev/projects/demo/missing.js', 'error'], ['node -e "setTimeout(() => {}, 60000)"', 'interrupted'],
      ['touch refused.txt', 'denied'], ['node -e "setTimeout(() => {}, 60000)"', 'interrupted'],
    ]);
    expect(errors.body(call(main, 'Bash', 'touch refused.txt')).tool?.note).toBe('The person refused this call; it did not run.');
  });

  test('a call that was running when the process died', () => {
    const killed = open('killed');
    const main = mainOf(killed);
    const unanswered = partWhere(main, (part) => part.fact.kind === 'tool' && !part.result);
    expect(main.settled.tools).toMatchObject([{ record: main.records.indexOf(unanswered.record as never), block: 0, status: 'interrupted' }]);
    expect(main.settled.condition).toBe('interrupted');
    expect(killed.body(unanswered).tool).toMatchObject({ output: null, exitCode: null });
  });

  test('todos', () => {
    const legacy = open('legacy-1.0.128');
    const [first] = mainOf(legacy).parts.filter((part) => part.fact.tool?.name === 'TodoWrite');
    expect(first?.fact.title).toBe('2 todos');
    expect(legacy.body(first as DrivenPart).tool?.todos).toEqual([
      { content: 'Write the store', status: 'in_progress', priority: null }, { content: 'Write the view', status: 'pending', priority: null },
    ]);
  });

  test('a question and its answer', () => {
    const features = open('features');
    const question = call(mainOf(features), 'AskUserQuestion', 'Which colour should the button have?');
    expect(question.fact.tool?.family).toBe('question');
    expect(features.body(question).tool?.output).toContain('"Which colour should the button have?"="Blue"');
  });

  test('a copy without its recorded patch shows the change as the call asked for it, and says so', () => {
    const fork = open('fork-1.0.128');
    const copy = fork.sessions.get('8f74a3ee-c3cd-4575-aae4-990e94cd78d1') as DrivenSession;
    const edit = partWhere(copy, (part) => part.fact.tool?.name === 'Edit');
    expect(fork.body(edit).tool).toMatchObject({
      note: expect.stringContaining('has no recorded patch'),
      edits: [{ kind: 'edit', added: 1, removed: 1, patch: '--- a/home/dev/projects/demo/counter.js\n+++ b/home/dev/projects/demo/counter.js\n@@ -1,1 +1,1 @@\n-let n = 0;\n+let n = start;\n' }],
    });
    const write = partWhere(copy, (part) => part.fact.tool?.name === 'Write');
    expect(fork.body(write).tool?.edits).toMatchObject([{ kind: 'create', removed: 0 }]);
  });
});

describe('a saved output', () => {
  const sought = (store: DrivenStore) => store.body(call(mainOf(store), 'Bash', 'seq 1 12000')).tool;
  const outputs = '.claude/projects/-home-dev-projects-demo/ac464ab6-da7a-4724-bdcd-ef89b67cc317/tool-results';

  test('is shown whole', () => {
    const lines = sought(open('agents'))?.output?.trimEnd().split('\n') ?? [];
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([12_000, '1', '12000']);
  });

  test('is found by its name when its folder was moved', () => {
    const moved = open('agents', (home) => {
      rmSync(join(home, outputs), { recursive: true });
      const folder = join(home, '.claude/projects/-moved/ac464ab6-da7a-4724-bdcd-ef89b67cc317/tool-results');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'bow6v1i31.txt'), 'found again\n');
    });
    expect(sought(moved)?.output).toBe('found again\n');
  });

  test('that is gone is said to be gone, with the beginning that was kept', () => {
    const gone = sought(open('agents', (home) => rmSync(join(home, outputs), { recursive: true })));
    expect(gone?.note).toBe('The whole output was saved to bow6v1i31.txt, which is not there any more; this is the beginning that was kept.');
    expect(gone?.output).toMatch(/^<persisted-output>/);
  });
});

describe('what is not there', () => {
  const request = (record: string, block = 0) => ({ record: Buffer.from(record), block, result: null, file: () => null });

  test.each(['', 'no json', '[]', '{"type":"user","message":{"content":[]}}'])('%s', (record) => {
    expect(claudeCode.body(request(record))).toEqual({ text: null, tool: null, file: null });
  });

  test('content of an unknown shape is shown raw', () => {
    expect(claudeCode.body(request('{"type":"user","message":{"content":{"a":1}}}')).text).toBe('{\n  "type": "user",\n  "message": {\n    "content": {\n      "a": 1\n    }\n  }\n}');
    expect(claudeCode.body(request('{"type":"user"}')).text).toBe('{\n  "type": "user"\n}');
    expect(claudeCode.body(request('{"type":"assistant","message":{"content":[7]}}')).text).toBe('7');
    expect(claudeCode.body(request('{"type":"assistant","message":{"content":[{"type":"text","text":{"a":1}}]}}')).text).toBe('{\n  "type": "text",\n  "text": {\n    "a": 1\n  }\n}');
    expect(claudeCode.body(request('{"type":"attachment","attachment":3}')).text).toBe('{\n  "type": "attachment",\n  "attachment": 3\n}');
  });

  test('deep nesting is said, not shown', () => {
    const deep = `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"X","input":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}}`;
    expect(claudeCode.body(request(deep)).tool?.input).toBe('nested too deeply to be shown');
  });
});
