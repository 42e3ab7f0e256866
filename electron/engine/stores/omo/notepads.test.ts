import { expect, test } from 'vitest';
import { copiedFrom, notesFile, notesFolder, placedIn, pluginPath, scaffoldOf } from './notepads';

test('notes are told by their place, wherever the project lies', () => {
  expect(notesFile('/p/.omo/notepads/x/learnings.md')).toEqual({ folder: '/p/.omo/notepads/x', name: 'learnings.md' });
  expect(notesFile('C:\\p\\.sisyphus\\drafts\\x.md')).toEqual({ folder: 'C:/p/.sisyphus/drafts', name: 'x.md' });
  expect(['/p/.omo/notepads/x.md', '/p/.omo/notepads/x/a.txt', '/p/.omo/notepads/x/y/a.md', '/p/.omo/plans/x.md', '/p/x.omo/drafts/x.md'].map(notesFile)).toEqual([null, null, null, null, null]);
  expect(notesFolder('/p/.omo/notepads/x')).toEqual({ root: '/p', layout: '.omo', kind: 'notepads', plan: 'x' });
  expect(notesFolder('.sisyphus/drafts')).toEqual({ root: '', layout: '.sisyphus', kind: 'drafts', plan: null });
});

test('a folder is named by its whole path, and filed under what the plugin makes of it', () => {
  expect(placedIn('.omo/notepads/x', '/p/')).toBe('/p/.omo/notepads/x');
  expect(placedIn('/q/.omo/notepads/x', '/p')).toBe('/q/.omo/notepads/x');
  expect(placedIn('C:/q/.omo/drafts', 'D:\\p')).toBe('C:/q/.omo/drafts');
  expect(placedIn('.omo/drafts', null)).toBe('.omo/drafts');
  expect(pluginPath('/p/a b/.omo/notepads/x y')).toBe('.omo/notepads/x y');
  expect(copiedFrom('/p/.omo/drafts')).toBe('/p/.sisyphus/drafts');
  expect(copiedFrom('/p/.sisyphus/drafts')).toBeNull();
});

test('the head that the plugin gives a notepad ends with its rule', () => {
  const head = '# Learnings — search\n\nConventions, patterns.\n\n_Auto-scaffolded by /start-work. Append new entries below - never overwrite._\n\n---\n';
  expect(scaffoldOf(`${head}- one\n`)).toBe(head);
  expect(scaffoldOf(head.trimEnd())).toBe(head.trimEnd());
  expect(scaffoldOf('# Learnings\n\n---\n- one\n')).toBe('');
});
