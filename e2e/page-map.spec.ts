import { expect, test, type Page } from '@playwright/test';
import { largeFamily, type Relative, relativeId, writeFamily } from './family-home';
import { faults } from './faults';
import { noBrowser, servedPage, temporaryFolder, type ServedPage } from './launch';
import { indexed, openByTitle } from './page-home';
import { screenshot } from './screenshot';

const family: Relative[] = [
  { name: 'Add a retry', turns: 4, helpers: 3, editedTurn: 2 },
  { name: 'Use a queue', of: 'Add a retry', turns: 6, shared: 3 },
  { name: 'Back off slowly', of: 'Add a retry', turns: 5, shared: 2 },
  { name: 'Queue on disk', of: 'Use a queue', turns: 7, shared: 5, helpers: 14 },
];

const map = (page: Page) => page.getByRole('tree', { name: 'Lineage map' });
/** The item that the keyboard is on, as it is read out. */
const current = (page: Page) => map(page).locator('[aria-selected="true"]');
const menu = (page: Page) => page.getByRole('menu').getByRole('menuitem');
const card = (page: Page, title: string) => page.locator('.map-card', { hasText: title });

let home: ReturnType<typeof temporaryFolder>;
let served: ServedPage;

async function serveFamily(relatives: Relative[]): Promise<Page> {
  home = temporaryFolder();
  writeFamily(home.path, relatives);
  served = await servedPage({ home: home.path });
  await indexed(served.page);
  return served.page;
}

test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.remove();
  });

  test('the map can be read and reached', async () => {
    const page = await serveFamily(family);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await openByTitle(page, 'Add a retry');
    await page.keyboard.press('m');
    await expect(card(page, 'Use a queue')).toBeVisible();
    await screenshot(page, 'map');
    expect(await faults(page)).toEqual([]);
    await page.setViewportSize({ width: 1024, height: 700 });
    await page.keyboard.press('0');
    await page.keyboard.press('ArrowDown');
    await screenshot(page, 'map-small');
    expect(await faults(page)).toEqual([]);
  });

  test('all of the map is walked by keyboard: parent, child, siblings, fold, open, back', async () => {
    const page = await serveFamily(family);
    await openByTitle(page, 'Add a retry');
    await page.keyboard.press('m');
    await expect(page).toHaveURL(/#\/session\/[^/]+\/map/);
    await expect(map(page)).toBeFocused();
    await expect(current(page)).toHaveText(/^Add a retry, Claude Code, /);
    await expect(current(page)).toHaveAttribute('aria-expanded', 'true');

    await page.keyboard.press('ArrowDown');
    await expect(current(page)).toHaveText(/^Helper 0 of Add a retry, .* subagent of Add a retry, recorded: Its meta file names the call that started it\.$/);
    await page.keyboard.press('ArrowRight');
    await expect(current(page)).toHaveText(/^Helper 1 of Add a retry/);
    await page.keyboard.press('End');
    await expect(current(page)).toHaveText(/^branch 1 of this session, 2 messages of its own/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press(' ');
    await expect(current(page)).toHaveAttribute('aria-expanded', 'false');
    await expect(map(page).getByRole('treeitem', { name: /Helper 0 of Add a retry/ })).toHaveCount(0);
    await page.keyboard.press('ArrowDown');
    await expect(current(page)).toHaveText(/^Use a queue, .* fork, inferred/);
    await expect(page.getByText(/fork of Add a retry, inferred: /).last()).toBeVisible();
    await page.keyboard.press('ArrowDown');
    // Fourteen helpers begin folded.
    await expect(current(page)).toHaveText(/^Queue on disk, .* 14 sessions folded/);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Queue on disk' })).toBeVisible();
    await page.keyboard.press('m');
    await expect(current(page)).toHaveText(/^Queue on disk/);

    // What can be done with the chosen session, by key; with any other, and a branch, by the pointer.
    await page.keyboard.press('Shift+F10');
    await expect(menu(page)).toHaveText(['Open', 'Fork as it is now…', 'Rename…', 'Archive…', 'Move to the trash…', 'Copy its id'].map((name) => new RegExp(`^${name}`)));
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'map-menu');
    await page.keyboard.press('Escape');
    await expect(map(page)).toBeFocused();
    await page.locator('.map-stub[data-item]').first().click({ button: 'right' });
    await expect(menu(page).first()).toHaveText(/^Open at its end/);
    await screenshot(page, 'map-menu-branch');
    await page.keyboard.press('Escape');
    await card(page, 'Use a queue').click({ button: 'right' });
    await expect(current(page)).toHaveText(/^Use a queue/);
    await expect(page.getByRole('menuitem', { name: 'Compare with the open session' })).toBeVisible();
    await page.getByRole('menuitem', { name: /^Fork as it is now/ }).click();
    await expect(page.locator('.plan-sheet').getByRole('heading', { level: 2 })).toContainText('Use a queue');
    await page.keyboard.press('Escape');
    await expect(page.locator('.plan-sheet')).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'Queue on disk' })).toBeVisible();
  });

  test('a branch opens at its end, and a link leads to the map', async () => {
    const page = await serveFamily(family);
    await page.goto(`${page.url().split('#')[0]}#/session/${encodeURIComponent(`claude-code/${relativeId(0)}`)}/map`);
    await expect(current(page)).toHaveText(/^Add a retry/);
    // The map was asked for while the library was still being filled.
    await expect(map(page).getByRole('treeitem', { name: /^branch 1 of this session/ }).last()).toBeAttached();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await expect(page.locator('.part[data-current]')).toContainText('Answer 1002 of Add a retry');
  });

  test('sessions with hits of the last search light up, and say how many', async () => {
    const page = await serveFamily(family);
    await openByTitle(page, 'Add a retry');
    await page.keyboard.press('/');
    await page.keyboard.type('"Back off slowly"');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('m');
    await expect(page.getByText(/“"Back off slowly"”: \d+ hits in 1 session/)).toBeVisible();
    await expect(map(page).getByRole('treeitem', { name: /Back off slowly, .* \d hits/ })).toHaveCount(1);
    await expect(page.locator('.map-card[data-hits]')).toHaveCount(1);
    await screenshot(page, 'map-hits');
  });

  test('a subagent is read in the step that started it, opened as a session, and leads back to the step', async () => {
    const page = await serveFamily(family);
    await openByTitle(page, 'Add a retry');
    const step = page.locator('.part[data-kind="tool"]').first();
    await step.locator('.fold-line').click();
    await step.getByRole('button', { name: 'Show its 2 parts here' }).click();
    const inside = step.getByRole('region', { name: 'The subagent’s session' });
    await expect(inside.getByText('Look at file 0', { exact: true })).toBeVisible();
    await expect(inside.getByText('Helper 0 has looked.')).toBeVisible();
    await page.getByRole('tab', { name: 'Lineage' }).click();
    await expect(page.getByText('800 tokens of its own, 1.1k with 3 subagents')).toBeVisible();
    await expect(page.getByText('100 tokens of its own').first()).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'map-inline');

    await inside.getByRole('button', { name: 'Open as its own session' }).click();
    await expect(page.getByRole('heading', { name: 'Helper 0 of Add a retry' })).toBeVisible();
    await page.getByRole('button', { name: 'Back to the step that started it' }).click();
    await expect(page.locator('.part[data-current][data-kind="tool"]')).toContainText('Helper 0 of Add a retry');
    // What was opened in the step stays open.
    await expect(page.getByText('Helper 0 has looked.')).toBeVisible();
  });

  test('500 sessions are drawn, only those on the screen, and walked', async () => {
    const page = await serveFamily(largeFamily(500));
    await openByTitle(page, 'Add a retry to the uploader');
    await page.keyboard.press('m');
    await page.locator('.map-card[data-asked]').waitFor();
    await screenshot(page, 'map-large');
    await page.getByRole('button', { name: 'Show all subagents' }).click();
    await expect(map(page).getByRole('treeitem')).toHaveCount(500 + (await map(page).getByRole('treeitem', { name: /^branch / }).count()));
    await page.waitForTimeout(500);
    await screenshot(page, 'map-large-open');
    expect(await page.locator('.map-card').count()).toBeLessThan(200);
    await map(page).focus();
    for (let step = 0; step < 12; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await expect(page.locator('.map-card[data-focused], .map-stub[data-focused]')).toBeVisible();
    await page.getByRole('button', { name: 'Show the whole map' }).click();
    await page.waitForTimeout(500);
    await screenshot(page, 'map-large-whole');
  });
});
