import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { openFixture } from './fixtures';
import { noBrowser, servedPage } from './launch';
import { claudeHome, indexed, openByTitle, type Transcript } from './page-home';

test.skip(noBrowser !== undefined, noBrowser);

const made = (number: number, project: string, title: string, at: string): Transcript => ({
  id: `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`, project, at, said: [{ you: title }, { agent: `Answer to ${title}` }],
});
const folderWords = (page: Page) => page.locator('.session-header .fact-folder').allInnerTexts();

test('projects of one name say where they lie', async () => {
  const home = claudeHome([
    made(1, 'work/acme', 'Add a retry', '2026-03-01T10:00:00Z'),
    made(2, 'old/acme', 'Add a cache', '2026-02-01T10:00:00Z'),
    made(3, 'work/ledger', 'Round the totals', '2026-01-15T10:00:00Z'),
  ]);
  const { page, close, complaints } = await servedPage({ home: home.home });
  await indexed(page);
  await expect(page.locator('[data-type="group"] .tree-title')).toHaveText(['acme — /home/dev/work/acme', 'acme — /home/dev/old/acme', 'ledger']);
  await page.getByRole('button', { name: /^Projects/ }).click();
  await expect(page.getByRole('menuitemcheckbox')).toHaveText([/^acme — \/home\/dev\/work\/acme/, /^acme — \/home\/dev\/old\/acme/, /^ledger/]);
  expect(complaints).toEqual([]);
  await close();
  home.remove();
});

test('an opened session says whether its folder is there', async () => {
  const home = claudeHome([made(1, 'acme', 'Add a retry', '2026-03-01T10:00:00Z'), made(2, 'ledger', 'Round the totals', '2026-01-15T10:00:00Z')]);
  mkdirSync(join(home.home, 'acme'));
  const { page, close } = await servedPage({ home: home.home, args: ['--map', `/home/dev=${home.home}`] });
  await indexed(page);
  await openByTitle(page, /Add a retry/);
  await expect.poll(() => folderWords(page)).toEqual(['folder present']);
  await openByTitle(page, /Round the totals/);
  await expect.poll(() => folderWords(page)).toEqual(['folder gone']);
  await close();
  home.remove();
});

test('a folder that moved says where it likely is', async () => {
  const fixture = openFixture('field', 'oc-moved-folder');
  const { page, close } = await servedPage({ home: fixture.home, hash: '#/session/opencode/ses_e6483597fffedGlMoiyrlfxX1r' });
  // Outside the home that was given nothing is looked at; what the store knows is said all the same.
  await expect.poll(() => folderWords(page)).toEqual(['folder not looked at', 'likely now at /home/dev/projects/books/ledger (same project id)']);
  await close();
  fixture.dispose();
});
