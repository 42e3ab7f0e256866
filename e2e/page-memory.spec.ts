import { expect, test, type Page } from '@playwright/test';
import { openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { memoryHome, type RememberedHome, rememberedSessions } from './memory-home';
import { indexed } from './page-home';

const view = (page: Page) => page.getByRole('region', { name: 'Memory', exact: true });
const file = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const piece = (page: Page, name: string, lines: string) => file(page, name).getByRole('group', { name: lines, exact: true });

test.skip(noBrowser !== undefined, noBrowser);

test.describe('a project with memory', () => {
  let home: RememberedHome;
  let served: ServedPage;
  test.beforeEach(async () => {
    home = memoryHome();
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.dispose();
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`the index shows where loading stops, and each piece who wrote it, in the ${theme} theme`, async () => {
      const { page } = served;
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.keyboard.press('Control+Alt+m');
      await expect(page.getByRole('heading', { name: 'Memory that outlives sessions' })).toBeVisible();
      expect(new URL(page.url()).hash).toBe('#/memory');
      await expect(view(page).getByRole('row').nth(1)).toHaveText(/^demo\/home\/dev\/projects\/demo55\.5 kB92 rewound1/);
      expect(await faults(page)).toEqual([]);
      await page.screenshot({ path: `test-results/page-memory-list-${theme}.png` });

      await view(page).getByRole('button', { name: 'demo' }).click();
      await expect(view(page).getByRole('status')).toHaveText('5 memory files, 1 instruction file recorded by sessions.');
      expect(new URL(page.url()).hash).toBe('#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo');
      await expect(piece(page, 'MEMORY.md', 'Line 1')).toContainText('- Ship on Fridays');
      await expect(piece(page, 'MEMORY.md', 'Line 1')).toContainText('turn rewound');
      await expect(piece(page, 'MEMORY.md', 'Line 2')).not.toContainText('turn rewound');
      await expect(piece(page, 'MEMORY.md', 'Lines 6 to 200')).toContainText('nobody recorded this');
      await expect(file(page, 'MEMORY.md').getByRole('note')).toHaveText('Loading stops here, after 200 lines: the 35 lines below are not put before the model at start');
      await expect(file(page, 'MEMORY.md')).toContainText('200 of 235 lines are loaded at start · sessions wrote 5 lines, 230 nobody recorded; 1 line marked');
      await expect(page.getByRole('region', { name: 'Instructions that sessions recorded' })).toContainText('/home/dev/projects/demo/CLAUDE.md');
      expect(await faults(page)).toEqual([]);
      await page.screenshot({ path: `test-results/page-memory-${theme}.png` });
      await file(page, 'MEMORY.md').getByRole('note').scrollIntoViewIfNeeded();
      await page.screenshot({ path: `test-results/page-memory-stop-${theme}.png` });
      await page.setViewportSize({ width: 1024, height: 700 });
      await page.screenshot({ path: `test-results/page-memory-narrow-${theme}.png` });
    });
  }

  test('a topic file is opened by keyboard, its writer leads to the very part, and Escape leads back', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    const fold = file(page, 'debugging.md').getByRole('button', { name: /debugging\.md/ });
    await expect(fold).toHaveAttribute('aria-expanded', 'false');
    await fold.focus();
    await page.keyboard.press('Enter');
    await expect(fold).toHaveAttribute('aria-expanded', 'true');
    await expect(piece(page, 'debugging.md', 'Line 2')).toContainText('- Run with --trace');
    await piece(page, 'debugging.md', 'Line 2').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.part[data-current]')).toContainText('debugging.md');
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(`#/session/claude-code/${rememberedSessions.rewound}/part/claude-code/${rememberedSessions.rewound}#caa20754-2a58-494d-8dcc-9bff86619fee`);

    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByTestId('inspector');
    await expect(inspector.getByRole('heading', { name: 'Memory this session touched' })).toBeVisible();
    await expect(inspector.getByRole('button', { name: 'edited MEMORY.md' })).toHaveCount(3);
    expect(await faults(page)).toEqual([]);
    await page.screenshot({ path: 'test-results/page-memory-inspector.png' });
    await inspector.getByRole('button', { name: 'Memory of the project' }).click();
    await expect(view(page).getByRole('heading', { level: 1 })).toHaveText('demo');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('tab', { name: 'Work' })).toBeVisible();
    expect(new URL(page.url()).hash).toContain('#/session/');
  });

  test('a project’s row has a menu that leads to its memory, by pointer and by key', async () => {
    const { page } = served;
    const row = page.locator('[role="treeitem"][data-type="group"]');
    await row.focus();
    await page.keyboard.press('Shift+F10');
    const choice = page.getByRole('menuitem', { name: 'Memory of this project' });
    await expect(choice).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(row).toBeFocused();
    await expect(row).toHaveAttribute('aria-expanded', 'true');
    await row.click({ button: 'right' });
    await page.screenshot({ path: 'test-results/page-memory-menu.png' });
    await choice.click();
    await expect(view(page).getByRole('heading', { level: 1 })).toHaveText('demo');
    await expect(row).toHaveAttribute('aria-expanded', 'true');
  });

  test('the instructions that a session recorded lead to where they are recorded, and from the project to the session', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    const recorded = page.getByRole('region', { name: 'Instructions that sessions recorded' });
    await recorded.scrollIntoViewIfNeeded();
    await page.screenshot({ path: 'test-results/page-memory-instructions.png' });
    await recorded.getByRole('button', { name: 'Please look at the picture @square.png' }).click();
    await expect(page.locator('.part[data-current]')).toContainText('CLAUDE.md');
    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByTestId('inspector');
    await expect(inspector.getByRole('heading', { name: 'Instructions it recorded' })).toBeVisible();
    await expect(inspector.getByRole('heading', { name: 'Memory this session touched' })).toHaveCount(0);
    await expect(inspector.getByRole('button', { name: 'where it is recorded' })).toBeVisible();
    await page.screenshot({ path: 'test-results/page-memory-instructed.png' });
    await inspector.getByRole('button', { name: 'Memory of the project' }).click();
    await expect(view(page)).toBeVisible();
  });

  test('a session that its agent deleted is said to be gone beside what it wrote', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/memory/%2Fhome%2Fdev%2Fprojects%2Fdemo`);
    await file(page, 'parser.md').getByRole('button', { name: /parser\.md/ }).click();
    await expect(piece(page, 'parser.md', 'Lines 1 to 2')).toContainText('wrote');
    home.forget();
    await expect(piece(page, 'parser.md', 'Lines 1 to 2')).toContainText('session gone');
    await file(page, 'by-hand.md').getByRole('button', { name: /by-hand\.md/ }).click();
    await expect(piece(page, 'by-hand.md', 'Line 1')).toContainText('nobody recorded this');
    await page.screenshot({ path: 'test-results/page-memory-gone.png' });
  });
});

test('a home without memory says what was looked for', async () => {
  const fixture = openFixture('field', 'cc-nul-run');
  const { page, close, complaints } = await servedPage({ home: fixture.home, hash: '#/memory' });
  try {
    await expect(page.getByRole('heading', { name: 'No memory yet' })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('none was found, and no session recorded instruction files');
    expect(await faults(page)).toEqual([]);
    await page.screenshot({ path: 'test-results/page-memory-none.png' });
    await page.getByRole('button', { name: 'Close' }).click();
    await expect(page.getByRole('heading', { name: 'Choose a session' })).toBeVisible();
    expect(complaints).toEqual([]);
  } finally {
    await close();
    fixture.dispose();
  }
});
