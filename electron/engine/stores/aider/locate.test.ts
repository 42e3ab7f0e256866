import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../store';
import { written } from './fixture-home.test-support';
import { locate } from './locate';

let home = '';
beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'retrace-aider-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, text = written.run('2026-03-01 10:00:00', 'Aider v0.86.1')): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const found = (more: Partial<Environment> = {}) =>
  locate({ home, platform: 'linux', variables: {}, added: [], ...more }).map(({ folder, origin, files }) => [folder.slice(home.length) || '~', origin, files]);

describe('where histories are looked for', () => {
  test('the home comes first, with or without one; nothing below it is walked through', () => {
    put('proj/.aider.chat.history.md');
    expect(found()).toEqual([['~', 'default', []]]);
    put('.aider.chat.history.md');
    expect(found()).toEqual([['~', 'default', ['.aider.chat.history.md']]]);
  });

  test('a project of another store, and the repository it lies in', () => {
    put('code/shop/.git/HEAD', 'ref: refs/heads/main\n');
    put('code/shop/.aider.chat.history.md');
    put('code/shop/web/src/.aider.chat.history.md');
    put('code/.aider.chat.history.md');
    const projects = [join(home, 'code/shop/web/src'), join(home, 'code/other'), join(home, 'not/there')];
    expect(found({ projects })).toEqual([['~', 'default', []], ['/code/shop/web/src', 'default', ['.aider.chat.history.md']], ['/code/shop', 'default', ['.aider.chat.history.md']]]);
  });

  test('an added folder and three levels below it, under any name that speaks of a chat', () => {
    for (const path of ['src/a/.aider.chat.history.md', 'src/a/b/notes/my-chat.md', 'src/a/b/c/d/.aider.chat.history.md', 'src/node_modules/x/.aider.chat.history.md', 'src/.hidden/.aider.chat.history.md']) put(path);
    put('src/chat.md', '# Our chat rules\n');
    expect(found({ added: [join(home, 'src')] })).toEqual([['~', 'default', []], ['/src/a', 'added', ['.aider.chat.history.md']], ['/src/a/b/notes', 'added', ['my-chat.md']]]);
  });

  test('an added file', () => {
    put('logs/talk.md');
    put('logs/chat.md');
    expect(found({ added: [join(home, 'logs/talk.md')] })).toEqual([['~', 'default', []], ['/logs', 'added', ['talk.md']]]);
  });

  test('a folder whose history went away is still looked at', () => {
    mkdirSync(join(home, 'old'));
    expect(found({ known: [join(home, 'old')] })).toEqual([['~', 'default', []], ['/old', 'default', []]]);
  });
});

describe('settings', () => {
  const projects = () => [join(home, 'proj')];

  test.each([
    ['.aider.conf.yml', 'model: m\nchat-history-file: notes/chat.md  # mine\n'],
    ['.aider.conf.yml', 'chat-history-file: "notes/chat.md"\r\n'],
    ['.env', "OPENAI_API_KEY=x\nexport AIDER_CHAT_HISTORY_FILE='notes/chat.md'\n"],
  ])('%s of the project: %j', (name, text) => {
    put(`proj/${name}`, text);
    put('proj/notes/chat.md');
    expect(found({ projects: projects() })).toEqual([['~', 'default', []], ['/proj/notes', 'default', ['chat.md']]]);
  });

  test('a relative name in the settings of the home counts from each project', () => {
    put('.aider.conf.yml', 'chat-history-file: .chat.md\n');
    put('proj/.chat.md');
    expect(found({ projects: projects() })).toEqual([['~', 'default', []], ['/proj', 'default', ['.chat.md']]]);
  });

  test('a commented or empty one says nothing', () => {
    put('proj/.aider.conf.yml', '#chat-history-file: chat.md\n## chat-history-file: xxx\nchat-history-file:\n');
    put('proj/chat.md');
    expect(found({ projects: projects() })).toEqual([['~', 'default', []]]);
  });

  test('settings of a home given by hand do not lead out of it', () => {
    const outside = mkdtempSync(join(tmpdir(), 'retrace-aider-outside-'));
    writeFileSync(join(outside, 'chat.md'), written.run('2026-03-01 10:00:00'));
    put('proj/.env', `AIDER_CHAT_HISTORY_FILE=${join(outside, 'chat.md')}\n`);
    const folders = (variables: Record<string, string>) => locate({ home, platform: 'linux', variables, added: [], projects: projects() }).map(({ folder }) => folder);
    expect(folders({})).toEqual([home]);
    expect(folders({ HOME: home })).toEqual([home, outside]);
    rmSync(outside, { recursive: true, force: true });
  });

  test('the environment names a file, absolute or in each project', () => {
    put('proj/here.md');
    put('far/away.md');
    expect(found({ projects: projects(), variables: { AIDER_CHAT_HISTORY_FILE: 'here.md' } })).toEqual([['~', 'default', []], ['/proj', 'environment', ['here.md']]]);
    expect(found({ variables: { AIDER_CHAT_HISTORY_FILE: join(home, 'far/away.md') } })).toEqual([['~', 'default', []], ['/far', 'environment', ['away.md']]]);
  });
});
