import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { retrace } from '../../../e2e/command-line';
import { claudeLine, idOf } from '../../engine/reliability/home.test-support';

test('projects of one name are not merged: their folders tell them apart, in text and in JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-tree-'));
  try {
    const home = join(folder, 'home');
    ['/home/dev/shop/web', '/home/dev/blog/web', '/home/dev/shop/web', '/home/dev/notes'].forEach((project, at) => {
      const transcripts = join(home, '.claude/projects', project.replaceAll('/', '-'));
      mkdirSync(transcripts, { recursive: true });
      const said = claudeLine(at + 1, `${at}-u`, null, 'user', `Question ${at}`, `2026-11-2${at}T12:00:00.000Z`).replace('/home/dev/app', project);
      writeFileSync(join(transcripts, `${idOf(at + 1)}.jsonl`), `${said}\n`);
    });
    const place = { home, library: join(folder, 'library.db') };
    const { stdout } = await retrace(place, 'tree');
    expect(stdout.split('\n').map((line) => line.replace(/ {2}claude-code ·.*/, '').trimEnd())).toEqual([
      'notes', '└─ Question 3', 'web  /home/dev/shop/web', '├─ Question 2', '└─ Question 0', 'web  /home/dev/blog/web', '└─ Question 1', '',
    ]);
    const trees = JSON.parse((await retrace(place, 'tree', '--json')).stdout) as { title: string; project: string; projectFolder?: string }[];
    expect(trees.map(({ title, project, projectFolder }) => [title, project, projectFolder])).toEqual([
      ['Question 3', 'notes', undefined], ['Question 2', 'web', '/home/dev/shop/web'], ['Question 1', 'web', '/home/dev/blog/web'], ['Question 0', 'web', '/home/dev/shop/web'],
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
