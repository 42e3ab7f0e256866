import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { openFixture } from './fixtures';
import { desktopApp, noWindow } from './launch';

test.skip(noWindow !== undefined, noWindow);

const exported = join(import.meta.dirname, 'fixtures/import/ses_e2b38726bffec1bGQpB4nw029f.json');
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Import a session' });

test('a retrace link asks before anything is fetched, and a chosen file is known by its path', async () => {
  const fixture = openFixture('claude-code', 'fork');
  const { page, complaints, close } = await desktopApp({ home: fixture.home, hash: `#/import?url=${encodeURIComponent('https://share.invalid/share/abc')}` });
  try {
    await expect(sheet(page).getByRole('note')).toContainText('https://share.invalid/share/abc');
    await expect(sheet(page).getByRole('note')).toContainText('Nothing was fetched yet. share.invalid would be told your address');
    await expect(sheet(page).getByRole('button', { name: 'Fetch and look' })).toBeEnabled();
    await page.screenshot({ path: 'test-results/desktop-import-link.png' });
    await sheet(page).locator('input[type=file]').setInputFiles(exported);
    await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
    // Its whole path, which the page alone would not be told.
    await expect(sheet(page).getByRole('region', { name: 'What is imported' })).toContainText(exported);
    // What is no file has none.
    expect(await page.evaluate(() => window.retrace?.pathOf({ name: 'x' }))).toBe('');
    expect(complaints).toEqual([]);
  } finally {
    await close();
    fixture.dispose();
  }
});
