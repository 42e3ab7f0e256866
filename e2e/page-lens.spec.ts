import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { indexed, openByTitle } from './page-home';

const feed = (page: Page) => page.getByRole('feed', { name: 'Timeline' });
const lens = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
/** What stands in the timeline, a line a row: the state of a part, or the words of a run. */
const rows = (page: Page) => feed(page).locator('article').evaluateAll((articles) => articles.map((article) => (article.dataset['kind'] === 'run' ? (article.getAttribute('aria-label') ?? '') : `${article.dataset['kind']} ${article.dataset['state']}`)));

let fixture: Fixture;
let served: ServedPage;

test.describe('a compacted session of Claude Code', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeAll(() => void (fixture = openFixture('claude-code', 'compact')));
  test.afterAll(() => fixture.dispose());
  test.beforeEach(async () => {
    served = await servedPage({ home: fixture.home });
    await indexed(served.page);
    await openByTitle(served.page, 'Please sketch a bracket parser');
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
  });

  test('the lens leaves out what the model does not see, and says so in its place', async () => {
    const { page } = served;
    await expect.poll(() => rows(page)).toContain('text compacted');
    await lens(page, 'Model sees').click();
    await expect.poll(() => rows(page)).not.toContain('text compacted');
    expect((await rows(page)).some((row) => /^\d+ parts left out: .*compacted/.test(row))).toBe(true);
    expect(page.url()).toContain('lens=model');
    await page.reload();
    await expect.poll(async () => (await rows(page)).some((row) => row.includes('left out'))).toBe(true);
    await lens(page, 'Everything').click();
    await expect.poll(() => rows(page)).toContain('text compacted');
  });

  test('a row that stands for what is left out opens', async () => {
    const { page } = served;
    await lens(page, 'Model sees').click();
    await page.getByRole('button', { name: /parts left out: .*compacted/ }).first().click();
    await expect.poll(() => rows(page)).toContain('text compacted');
  });

  test('the epoch one reads is named, and its border tells what it did', async () => {
    const { page } = served;
    await expect(page.getByText('epoch 1 of 3')).toBeVisible();
    await page.keyboard.press(']');
    await expect(feed(page).getByRole('button', { name: 'compare' }).first()).toBeVisible();
    await page.keyboard.press(']');
    await expect(page.getByText('epoch 3 of 3').or(page.getByText('epoch 2 of 3'))).toBeVisible();
  });

  test('a summary is compared with what it replaced, by keyboard alone', async () => {
    const { page } = served;
    await expect(page.getByText('epoch 1 of 3')).toBeVisible();
    await page.keyboard.press('c');
    const sheet = page.getByRole('dialog', { name: 'Summary and what it replaced' });
    await expect(sheet.getByText('How this was found')).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await page.screenshot({ path: 'test-results/lens-compare.png' });
    await sheet.getByRole('tab', { name: 'All it replaced' }).click();
    await sheet.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`the context is charted and walked by keys in the ${theme} theme`, async () => {
      const { page } = served;
      await page.emulateMedia({ colorScheme: theme });
      await page.getByRole('tab', { name: 'Context' }).click();
      const chart = page.getByRole('slider', { name: 'Size of the context over the session' });
      await chart.focus();
      await page.keyboard.press('End');
      await expect(chart).toHaveAttribute('aria-valuetext', /[\d,]+ tokens · /);
      expect(await faults(page)).toEqual([]);
      await page.screenshot({ path: `test-results/lens-context-${theme}.png` });
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await expect(feed(page).locator('[data-current]')).toBeVisible();
      await page.setViewportSize({ width: 1024, height: 700 });
      await lens(page, 'Model sees').click();
      await page.screenshot({ path: `test-results/lens-small-${theme}.png` });
    });
  }
});

test.describe('a session that was rewound', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeAll(() => void (fixture = openFixture('field', 'cc-branches')));
  test.afterAll(() => fixture.dispose());
  test.beforeEach(async () => {
    served = await servedPage({ home: fixture.home });
    await indexed(served.page);
    await served.page.getByRole('treeitem').nth(1).click();
    await served.page.locator('.part').first().waitFor();
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
  });

  test('another branch is looked at as if it were the current one', async () => {
    const { page } = served;
    await expect.poll(() => rows(page)).toContain('text off-branch');
    await lens(page, 'This branch').click();
    await expect.poll(() => rows(page)).not.toContain('text off-branch');
    const before = await rows(page);
    await page.keyboard.press('b');
    await page.getByRole('menuitemradio', { name: /Branch 1/ }).click();
    await expect.poll(() => rows(page)).not.toEqual(before);
    expect(page.url()).toContain('branch=1');
    expect(await faults(page)).toEqual([]);
    await page.screenshot({ path: 'test-results/lens-branch.png' });
  });
});
