import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { noBrowser } from './launch';
import { claudeHome, type MadeHome } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

/** Lines between the hunks of a diff, opened by mouse and by keys. */

const numbers = Array.from({ length: 300 }, (_, at) => `export const line${at + 1} = ${at + 1};`);
const hunk = (line: number, shift: number) => ({
  oldStart: line - 1, oldLines: 3, newStart: line - 1 + shift, newLines: 4,
  lines: [` ${numbers[line - 2]}`, `-${numbers[line - 1]}`, `+export const line${line} = 'changed';`, '+// one more', ` ${numbers[line]}`],
});
const edited = (path: string, originalFile: string | null) => ({
  tool: 'Edit', input: { file_path: path, old_string: 'a', new_string: 'b' }, output: 'ok',
  result: { filePath: path, ...(originalFile !== null && { originalFile }), structuredPatch: [hunk(10, 0), hunk(60, 1), hunk(280, 2)] },
});

const files = (page: Page) => page.getByRole('region', { name: 'Files', exact: true });
const lines = (page: Page) => page.getByRole('region', { name: /^Changed lines of/ });
const fold = (page: Page, text: RegExp | string) => lines(page).locator('.dl-row[data-row="hunk"]').filter({ hasText: text });
const row = (page: Page, text: string) => lines(page).locator('.dl-row[data-row="line"]').filter({ hasText: text }).first();

test.describe('unchanged lines between hunks', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  let made: MadeHome;
  test.beforeAll(() => {
    made = claudeHome([{
      id: '44444444-1111-4111-8111-111111111111', project: 'acme', at: '2026-03-01T12:00:00Z',
      said: [{ you: 'Change two long files' }, edited('/home/dev/acme/known.js', `${numbers.join('\n')}\n`), edited('/home/dev/acme/pieces.js', null)],
    }]);
  });
  test.afterAll(() => made.remove());
  const served = pagesOf(() => ({ home: made.home }), async (page) => {
    await page.getByRole('treeitem', { name: 'Change two long files' }).click();
    await page.locator('.part').first().waitFor();
    await page.getByRole('tab', { name: 'Files' }).click();
    await page.getByRole('region', { name: 'Inspector' }).getByRole('treeitem', { name: 'known.js' }).click();
    await expect(lines(page)).toHaveAttribute('aria-busy', 'false');
  });

  test('some at either end, or all of a gap, in one column and side by side', async () => {
    const { page } = served;
    await expect(fold(page, '43 unchanged lines not shown')).toBeVisible();
    await fold(page, '43 unchanged').getByRole('button', { name: 'Show 20 lines after the change above' }).click();
    await expect(row(page, 'line14 = 14;')).toBeVisible();
    await fold(page, '23 unchanged').getByRole('button', { name: 'Show 20 lines before the change below' }).click();
    await expect(fold(page, '3 unchanged lines not shown').getByRole('button', { name: 'Show 3 unchanged lines' })).toBeVisible();
    await page.keyboard.press('s');
    await fold(page, '3 unchanged').getByRole('button', { name: 'Show 3 unchanged lines' }).click();
    // Both numbers: a line was put in above it.
    await expect(row(page, 'line34 = 34;').locator('.dl-number')).toHaveText(['34', '35']);
    await expect(fold(page, /^3 unchanged/)).toHaveCount(0);
    await page.keyboard.press('s');
    await expect(row(page, 'line34 = 34;').locator('.dl-number')).toHaveText(['34', '35']);
  });

  test('by keys: at the chosen line some, then all, also behind the last change', async () => {
    const { page } = served;
    await lines(page).focus();
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await expect(page.getByText('change 2 of 3')).toBeVisible();
    await page.keyboard.press('e');
    await expect(fold(page, '23 unchanged lines not shown')).toBeVisible();
    await page.keyboard.press('o');
    await expect(fold(page, '23 unchanged')).toHaveCount(0);
    // The chosen line moved down with what was put in above it.
    await expect(lines(page).locator('.dl-row[data-current]')).toContainText('line60 = 60;');
    await page.keyboard.press('End');
    await expect(fold(page, '17 unchanged lines not shown')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(row(page, 'line284 = 284;')).toBeVisible();
    await expect(row(page, 'line284 = 284;').locator('.dl-number')).toHaveText(['284', '287']);
    await page.keyboard.press('End');
    await expect(row(page, 'line300 = 300;')).toBeVisible();
    expect(await faults(page)).toEqual([]);
  });

  test('where the file is not known whole that is said, and nothing can be pressed', async () => {
    const { page } = served;
    await files(page).getByRole('treeitem', { name: 'pieces.js' }).click();
    await expect(fold(page, '47 unchanged lines not recorded')).toBeVisible();
    await expect(fold(page, 'unchanged').getByRole('button')).toHaveCount(0);
    await page.keyboard.press('n');
    await page.keyboard.press('e');
    await expect(page.getByText('No unchanged lines can be shown here.')).toBeVisible();
  });

  test('folded and unknown lines can be read and reached', async () => {
    const { page } = served;
    await expect(fold(page, '43 unchanged')).toBeVisible();
    await fold(page, /^6 unchanged/).getByRole('button', { name: 'Show 6 unchanged lines' }).click();
    await expect(row(page, 'line1 = 1;')).toBeVisible();
    await screenshot(page, 'diff-gaps');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('j');
    await expect(fold(page, 'not recorded').first()).toBeVisible();
    await screenshot(page, 'diff-gaps-unknown');
    await page.keyboard.press('s');
    await expect(fold(page, 'not recorded').first()).toBeVisible();
    await screenshot(page, 'diff-gaps-split');
    expect(await faults(page)).toEqual([]);
  });
});
