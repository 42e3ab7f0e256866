import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Environment } from '../stores/store';
import { Library } from './library';
import { surroundingsOf } from './surroundings';

let library: Library;
beforeEach(() => {
  library = new Library(':memory:');
  for (const folder of ['/home/ada/acme', '/home/bob/ledger']) library.db.prepare('INSERT INTO project(key, name, folder) VALUES (?, ?, ?)').run(folder, folder, folder);
});
afterEach(() => library.close());

const environment = (more: Partial<Environment>): Environment => ({ home: '/home/ada', platform: 'linux', variables: {}, added: [], ...more });
const projects = (more: Partial<Environment>) => surroundingsOf(library.db, environment(more), 'aider').projects;

test('projects of all stores are named', () => {
  expect(projects({})).toEqual(['/home/ada/acme', '/home/bob/ledger']);
});

test('with a home given by hand nothing outside it is named, but for what was added', () => {
  expect(projects({ confined: true })).toEqual(['/home/ada/acme']);
  expect(projects({ confined: true, added: ['/home/bob/ledger'] })).toEqual(['/home/ada/acme', '/home/bob/ledger']);
  expect(projects({ confined: true, home: '/home/ad' })).toEqual([]);
});

test('recorded paths are looked for where they were mapped to', () => {
  expect(projects({ confined: true, home: '/mnt/copy', maps: [{ from: '/home/ada', to: '/mnt/copy' }] })).toEqual(['/mnt/copy/acme']);
});
