import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser } from './launch';
import { indexed } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

const background = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

let fixture: Fixture;
test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeAll(() => void (fixture = openFixture('claude-code', 'features')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }));

  test('everything can be read and reached', async () => {
    const { page } = served;
    await page.locator('[role="treeitem"][data-type="session"]').first().click();
    await page.locator('.part').first().waitFor();
    for (const line of (await page.locator('.part[data-kind="tool"] .fold-line').all()).slice(0, 4)) await line.click();
    await page.keyboard.press('r');
    expect(await faults(page)).toEqual([]);
    for (const tab of ['Lineage', 'Work']) {
      await page.getByRole('tab', { name: tab }).click();
      expect(await faults(page)).toEqual([]);
    }
    await screenshot(page, 'page');
    await page.keyboard.press('Control+k');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: /Search every part/ }).fill('the');
    await page.getByRole('option').first().waitFor();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-search');
  });

  test('the theme is switched by hand, and kept', async () => {
    const { page } = served;
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background(page)).toBe('rgb(245, 245, 247)');
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await background(page)).toBe('rgb(23, 24, 27)');
    await page.getByRole('button', { name: 'Theme: system. Switch' }).click();
    expect(await background(page)).toBe('rgb(245, 245, 247)');
    await page.reload();
    expect(await background(page)).toBe('rgb(245, 245, 247)');
    await page.getByRole('button', { name: 'Theme: light. Switch' }).click();
    expect(await background(page)).toBe('rgb(23, 24, 27)');
  });

  test('panes are hidden, resized and remembered, and a small window still shows all three', async () => {
    const { page } = served;
    const width = (pane: string) => page.getByTestId(pane).evaluate((element) => Math.round(element.getBoundingClientRect().width));
    await page.keyboard.press('Control+b');
    await expect.poll(() => width('library')).toBe(0);
    await page.keyboard.press('Control+b');
    await expect.poll(() => width('library')).toBeGreaterThan(200);

    const before = await width('library');
    await page.getByRole('separator', { name: 'Width of the library' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => width('library')).toBeGreaterThan(before);
    const after = await width('library');
    await page.waitForTimeout(300);
    await page.reload();
    await expect.poll(() => width('library')).toBe(after);

    await page.setViewportSize({ width: 1024, height: 700 });
    for (const pane of ['library', 'middle', 'inspector']) expect(await width(pane)).toBeGreaterThan(200);
    expect(await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])).toEqual([1024, 700]);
  });

  test('a narrow window begins without the inspector, with filters in two rows, and keeps what one makes of it', async () => {
    const { page } = served;
    const width = (pane: string) => page.getByTestId(pane).evaluate((element) => Math.round(element.getBoundingClientRect().width));
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.reload();
    await indexed(page);
    expect(await width('inspector')).toBe(0);
    expect(await width('library')).toBeGreaterThan(300);
    const filterRows = () => page.locator('.filter-sentence .chip').evaluateAll((chips) => new Set(chips.map((chip) => Math.round(chip.getBoundingClientRect().top))).size);
    expect(await filterRows()).toBe(2);
    await page.locator('[role="treeitem"][data-type="session"]').first().click();
    await page.locator('.part').first().waitFor();
    await screenshot(page, 'page-narrow');
    await page.getByRole('button', { name: 'Show or hide the inspector' }).click();
    await expect.poll(() => width('inspector')).toBeGreaterThan(200);
    expect(await filterRows()).toBe(2);
    await page.waitForTimeout(300);
    await page.reload();
    await expect.poll(() => width('inspector')).toBeGreaterThan(200);
  });

  test('figures say what is in them, and the search shows no facts of another session', async () => {
    const { page } = served;
    const row = page.locator('[role="treeitem"][data-type="session"]').first();
    await expect(row.locator('.tree-title')).toHaveAttribute('title', /\nUpdated .+\d:\d\d/);
    await row.click();
    await page.getByText(/ fresh input · .+ output/).hover();
    await expect(page.getByRole('tooltip')).toContainText(/sent: [\d,]+ fresh input/);
    await page.getByRole('combobox', { name: /Search every part/ }).fill('the');
    await page.getByRole('option').first().waitFor();
    await expect(page.getByTestId('inspector')).toHaveText('Open a hit to see the facts of its session.');
    await expect(page.getByRole('option').first().locator('.hit-title')).toHaveAttribute('title', /\n.+\d:\d\d/);
  });
});
