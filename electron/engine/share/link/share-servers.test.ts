import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Db, openLibrary } from '../../library/database';
import { setShareServers, shareServers } from './share-servers';

let folder: string;
let db: Db;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retrace-servers-'));
  db = openLibrary(join(folder, 'library.db')).db;
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

test('servers are kept as addresses without what does not matter', () => {
  expect(shareServers(db)).toEqual([]);
  expect(setShareServers(db, [' https://Share.example.org/ ', 'https://git.example.org:8443/opencode/', 'http://127.0.0.1:4096', 'https://share.example.org'])).toEqual({
    servers: ['https://share.example.org', 'https://git.example.org:8443/opencode', 'http://127.0.0.1:4096'], refused: [],
  });
  expect(shareServers(db)).toEqual(['https://share.example.org', 'https://git.example.org:8443/opencode', 'http://127.0.0.1:4096']);
  expect(setShareServers(db, [])).toEqual({ servers: [], refused: [] });
});

test.each([
  ['share.example.org', 'This is no web address: write it whole, https://share.example.org.'],
  ['http://share.example.org', 'Only https, or http on this machine itself (127.0.0.1, localhost).'],
  ['file:///etc/passwd', 'This is no web address: write it whole, https://share.example.org.'],
  ['ftp://share.example.org', 'ftp: addresses are not fetched: only https.'],
  ['https://me:secret@share.example.org', 'The address holds a user name or password. Take it out first.'],
  ['https://share.example.org/?x=1', 'The address of a server has no ? and no #.'],
  [`https://share.example.org/${'a'.repeat(2_000)}`, 'The address is longer than 2,000 characters.'],
])('%.40s is none, and then none is set', (server, reason) => {
  setShareServers(db, ['https://share.example.org']);
  expect(setShareServers(db, ['https://other.example.org', server])).toEqual({ servers: ['https://share.example.org'], refused: [{ server, reason }] });
  expect(shareServers(db)).toEqual(['https://share.example.org']);
});
