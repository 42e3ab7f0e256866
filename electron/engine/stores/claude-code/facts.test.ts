import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Fixture, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenSession } from './drive.test-support';
import { TurnTree } from './turns';
import { claudeCode } from './index';

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

const renamed = '064e8fae-8098-4d8d-95be-e3246addad11';

/** The session that was renamed, after its lines and its title file were changed. */
function edited(lines: object[], options: { without?: string[]; titleFile?: string | null } = {}): DrivenSession {
  const fixture = openFixture('claude-code', 'titles');
  opened.push(fixture);
  const folder = join(fixture.home, '.claude/projects/-home-dev-projects-demo');
  const path = join(folder, `${renamed}.jsonl`);
  const kept = readFileSync(path, 'utf8').split('\n').filter((line) => line !== '' && !(options.without ?? []).some((type) => line.includes(`"type":"${type}"`)));
  writeFileSync(path, [...kept, ...lines.map((line) => JSON.stringify({ sessionId: renamed, ...line }))].map((line) => `${line}\n`).join(''));
  const titleFile = join(folder, renamed, 'custom-title.json');
  if (options.titleFile === null) rmSync(titleFile);
  else if (options.titleFile !== undefined) writeFileSync(titleFile, JSON.stringify({ customTitle: options.titleFile, by: 'user' }));
  const session = drive(claudeCode, fixture.home).sessions.get(renamed);
  if (!session) throw new Error('the session is not there');
  return session;
}

describe('the title, by the order of the program', () => {
  const first = 'Please outline a todo app';
  const leaf = (session: DrivenSession) => session.records.findLast((record) => record.key)?.key;

  test('a custom title beats a later generated one, and a differing title file', () => {
    expect(edited([{ type: 'ai-title', aiTitle: 'Generated' }], { titleFile: 'In the file' }).facts.title).toBe('Todo app work');
    expect(edited([{ type: 'custom-title', customTitle: 'Renamed again' }]).facts.title).toBe('Renamed again');
  });

  test('without such a line the title file counts, then a generated title', () => {
    expect(edited([{ type: 'ai-title', aiTitle: 'Generated' }], { without: ['custom-title'], titleFile: 'In the file' }).facts.title).toBe('In the file');
    expect(edited([{ type: 'ai-title', aiTitle: 'Generated' }], { without: ['custom-title'], titleFile: null }).facts.title).toBe('Generated');
  });

  test('a summary counts when its leaf is a record of this file, before or after it', () => {
    const none = { without: ['custom-title'], titleFile: null };
    const untitled = edited([], none);
    expect(untitled.facts.title).toBe(first);
    expect(edited([{ type: 'summary', summary: 'Of this file', leafUuid: leaf(untitled) }], none).facts.title).toBe('Of this file');
    expect(edited([{ type: 'summary', summary: 'Of another file', leafUuid: '11111111-1111-4111-8111-111111111111' }], none).facts.title).toBe(first);
  });

  test('what only opens the session, or is no prompt, is no title', () => {
    const fixture = openFixture('claude-code', 'features');
    opened.push(fixture);
    const [session] = [...drive(claudeCode, fixture.home).sessions.values()];
    expect(session?.facts.title).toBe('Please look at the picture @square.png');
  });
});

test('pull requests are named once, however often their line is written', () => {
  const fixture = openFixture('claude-code', 'features');
  opened.push(fixture);
  const [session] = [...drive(claudeCode, fixture.home).sessions.values()];
  expect(session?.facts.pullRequests).toEqual([{ url: 'https://github.com/example/demo/pull/7', number: 7, repository: 'example/demo' }]);
});

test('models are named in the order of their last use, the last one is the session\'s', () => {
  const session = edited([
    { type: 'assistant', uuid: 'x1', parentUuid: null, message: { id: 'm1', role: 'assistant', model: 'claude-haiku-5-5', content: [{ type: 'text', text: 'a' }] } },
    { type: 'assistant', uuid: 'x2', parentUuid: 'x1', message: { id: 'm2', role: 'assistant', model: 'claude-opus-5-5', content: [{ type: 'text', text: 'b' }] } },
  ]);
  expect(session.facts).toMatchObject({ model: 'claude-opus-5-5', models: ['claude-haiku-5-5', 'claude-opus-5-5'], agentVersion: '2.1.332' });
});

test('a prompt that waits in the queue is told; one that was taken out is not', () => {
  const queue = (operation: string, content?: string) => ({ type: 'queue-operation', operation, ...(content === undefined ? {} : { content }) });
  expect(edited([queue('enqueue', 'first'), queue('enqueue', 'second'), queue('dequeue'), queue('enqueue', 'third'), queue('remove', 'third')]).facts.notices).toEqual([
    { kind: 'other', text: 'A queued prompt was not sent: second' },
  ]);
  expect(edited([queue('enqueue', 'first'), queue('popAll')]).facts.notices).toEqual([]);
  expect(edited([queue('enqueue', '<task-notification>…')]).facts.notices).toEqual([]);
});

test('a session whose file lies in two project folders is one session, and says where the other copy is', () => {
  const fixture = openFixture('field', 'cc-branches');
  opened.push(fixture);
  const projects = join(fixture.home, '.claude/projects');
  const [folder = ''] = readdirSync(projects);
  const [file = ''] = readdirSync(join(projects, folder));
  const content = readFileSync(join(projects, folder, file), 'utf8').split('\n');
  const other = join(projects, '-home-dev-elsewhere');
  mkdirSync(other);
  writeFileSync(join(other, file), `${content.slice(0, 4).join('\n')}\n`);
  const sessions = [...drive(claudeCode, fixture.home).sessions.values()];
  expect(sessions).toHaveLength(1);
  expect(sessions[0]?.facts.alsoIn).toEqual([`projects/-home-dev-elsewhere/${file}`]);
  expect(sessions[0]?.records).toHaveLength(10);
});

describe('turns', () => {
  const turn = (key: string, parent: string | null, n: number) => ({ key, parent, n, kind: 'prompt' });

  test('follow the one before, unless an earlier one hangs under the same record', () => {
    const tree = new TurnTree([turn('a', null, 1), turn('b', 'x', 2), turn('c', 'y', 3), turn('d', 'y', 4), turn('e', 'z', 5)]);
    expect([...tree.active].toSorted()).toEqual(['a', 'b', 'd', 'e']);
    const ofC = tree.sharesBranch('c');
    expect(['a', 'b', 'c', 'd', 'e'].filter(ofC)).toEqual(['a', 'b', 'c']);
    const ofD = tree.sharesBranch('d');
    expect(['a', 'b', 'c', 'd', 'e'].filter(ofD)).toEqual(['a', 'b', 'd', 'e']);
  });

  test('a left branch knows what came after its turns', () => {
    const tree = new TurnTree([turn('a', null, 1), turn('b', 'x', 2), turn('c', 'y', 3), turn('d', 'x', 4)]);
    expect(['a', 'b', 'c', 'd'].filter(tree.sharesBranch('b'))).toEqual(['a', 'b', 'c']);
    expect([...tree.active].toSorted()).toEqual(['a', 'd']);
  });
});
