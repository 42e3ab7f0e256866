import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { type Fixture, recordedHome } from './fixtures';
import { noBrowser } from './launch';
import { pngOf } from './pictures';
import { treesHome, treesSession } from './trees-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

/** Pictures and other files that are no text, before and after a change. */

const before = pngOf(320, 200, { x: 20, y: 30, size: 60, colour: [226, 92, 60] });
const after = pngOf(400, 200, { x: 220, y: 90, size: 80, colour: [70, 150, 226] });
const session = `opencode/${treesSession.native}`;
const address = (rest: string) => `#/session/${encodeURIComponent(session)}${rest}`;
const list = (page: Page) => page.getByRole('region', { name: 'Files', exact: true }).getByRole('tree');
const bytes = (page: Page) => page.getByRole('region', { name: /^Bytes of/ });
const isDrawn = (page: Page) => bytes(page).locator('img').evaluateAll((pictures) => pictures.map((picture) => picture instanceof HTMLImageElement && [picture.naturalWidth, picture.naturalHeight]));

test.describe('files that are no text', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  let fixture: Fixture;
  test.beforeAll(() => {
    fixture = treesHome(
      { 'assets/logo.png': before, 'assets/data.zip': Buffer.from('PK\x03\x04\0\0one', 'latin1'), 'assets/broken.png': Buffer.concat([before.subarray(0, 33), Buffer.from('cut')]) },
      { 'assets/logo.png': after, 'assets/data.zip': Buffer.from('PK\x03\x04\0\0two!', 'latin1'), 'assets/broken.png': after, 'assets/new.png': after, 'assets/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg"><script>window.broken = 1</script></svg>\n' },
    );
    writeFileSync(join(fixture.home, 'projects/notes-api/README.png'), after);
  });
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home, args: ['--map', `${recordedHome}=${fixture.home}`] }));

  test('pictures side by side, with a border that is moved, and in turn; their sizes in pixels and bytes', async () => {
    const { page } = served;
    await page.evaluate((to) => void (location.hash = to), address('/files'));
    await list(page).getByRole('treeitem', { name: 'logo.png' }).click();
    // Bytes have no lines: none are counted, and none are missing.
    await expect(list(page).getByRole('treeitem', { name: 'logo.png' })).not.toContainText('?');
    await expect.poll(() => isDrawn(page)).toEqual([[320, 200], [400, 200]]);
    await expect(bytes(page).getByRole('region', { name: 'Before' })).toContainText('320 × 200 px, PNG');
    await expect(bytes(page).getByRole('region', { name: 'After' })).toContainText('400 × 200 px, PNG');
    await bytes(page).getByRole('radio', { name: 'Swipe' }).click();
    const border = bytes(page).getByRole('slider', { name: 'Border between Before and After' });
    await border.focus();
    await page.keyboard.press('End');
    await expect(border).toHaveValue('100');
    expect(await faults(page)).toEqual([]);
    await bytes(page).getByRole('radio', { name: 'In turn' }).click();
    await expect(bytes(page).getByRole('status')).toHaveText('Before');
    await bytes(page).getByRole('button', { name: 'Show after' }).click();
    await expect(bytes(page).getByRole('status')).toHaveText('After');
    await expect.poll(() => isDrawn(page)).toEqual([[400, 200]]);
    // Remembered for the next picture, where there is a pair.
    await list(page).getByRole('treeitem', { name: 'new.png' }).click();
    await expect(bytes(page).getByRole('region', { name: 'Before' })).toContainText('It is not there.');
    await expect.poll(() => isDrawn(page)).toEqual([[400, 200]]);
    await list(page).getByRole('treeitem', { name: 'logo.png' }).click();
    await expect(bytes(page).getByRole('radio', { name: 'In turn' })).toHaveAttribute('aria-checked', 'true');
  });

  test('other bytes have sizes and hashes; broken ones say so; an SVG is a text', async () => {
    const { page } = served;
    await page.evaluate((to) => void (location.hash = to), address('/files'));
    await list(page).getByRole('treeitem', { name: 'data.zip' }).click();
    await expect(bytes(page).getByRole('region', { name: 'Before' })).toContainText(/neither text nor a picture that is drawn.*Size9 B.*Hash7700b33cd908/);
    await expect(bytes(page).getByRole('region', { name: 'After' })).toContainText('Size10 B');
    await list(page).getByRole('treeitem', { name: 'broken.png' }).click();
    await expect(bytes(page).getByText('The picture cannot be drawn: its bytes are broken.')).toBeVisible();
    await list(page).getByRole('treeitem', { name: 'mark.svg' }).click();
    await expect(page.getByRole('region', { name: /^Changed lines of/ })).toContainText('window.broken');
    await expect(page.locator('img')).toHaveCount(0);
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  });

  test('seen, also in the preview of a revert', async () => {
    const { page } = served;
    await page.evaluate((to) => void (location.hash = to), address('/files'));
    await list(page).getByRole('treeitem', { name: 'logo.png' }).click();
    await expect.poll(() => isDrawn(page)).toEqual([[320, 200], [400, 200]]);
    await screenshot(page, 'diff-bytes');
    expect(await faults(page)).toEqual([]);
    await bytes(page).getByRole('radio', { name: 'Swipe' }).click();
    await screenshot(page, 'diff-bytes-swipe');
    await bytes(page).getByRole('radio', { name: 'In turn' }).click();
    await screenshot(page, 'diff-bytes-turns');
    await list(page).getByRole('treeitem', { name: 'data.zip' }).click();
    await expect(bytes(page)).toContainText('Size10 B');
    await screenshot(page, 'diff-bytes-other');
    expect(await faults(page)).toEqual([]);

    await page.evaluate((to) => void (location.hash = to), address(`/part/${encodeURIComponent(`${session}#${treesSession.prompt}`)}`));
    await page.locator('.part[data-current]').waitFor();
    await page.keyboard.press('u');
    const sheet = page.getByRole('dialog', { name: 'Going back: a preview' });
    await sheet.getByRole('option', { name: /logo\.png/ }).click();
    await expect(sheet.getByRole('region', { name: 'Before this message' })).toContainText('320 × 200 px');
    await expect(sheet.getByRole('region', { name: 'As the session left it' })).toContainText('400 × 200 px');
    await expect(sheet.getByRole('region', { name: 'On the disk now' })).toContainText('It is not there.');
    await screenshot(page, 'revert-bytes');
    expect(await faults(page)).toEqual([]);
  });
});
