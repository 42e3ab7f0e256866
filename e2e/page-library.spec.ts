import { appendFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { noBrowser, servedPage, temporaryFolder, type ServedPage } from './launch';
import { claudeHome, indexed, recordsOf, type MadeHome, type Transcript } from './page-home';
import { screenshot } from './screenshot';

const made = (number: number, project: string, title: string, at: string): Transcript => ({
  id: `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`, project, at, said: [{ you: title }, { agent: `Answer to ${title}` }],
});
const today = new Date(Date.now() - 60_000).toISOString();
const transcripts = [
  made(1, 'acme', 'Add a retry', today),
  made(2, 'acme', 'Add a cache', '2026-02-01T10:00:00Z'),
  made(3, 'ledger', 'Round the totals', '2026-01-15T10:00:00Z'),
  made(4, 'ledger', 'Retry the import', '2025-06-01T10:00:00Z'),
];

const treeItem = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name });
const count = (page: Page) => page.getByTestId('library').getByRole('status');
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
const titles = async (page: Page) =>
  (await page.locator('[role="treeitem"] .tree-title').allInnerTexts()).map((title) => title.trim());

let home: MadeHome;
let served: ServedPage;
test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeEach(async () => {
    home = claudeHome(transcripts);
    served = await servedPage({ home: home.home });
    await indexed(served.page);
    await expect(count(served.page)).toHaveText('4 sessions');
  });
  test.afterEach(async () => {
    await served.close();
    home.remove();
  });

  test('the tree is walked with the arrow keys, as a tree view is', async () => {
    const { page, complaints } = served;
    expect(await titles(page)).toEqual(['acme', 'Add a retry', 'Add a cache', 'ledger', 'Round the totals', 'Retry the import']);
    await page.locator('[role="tree"] [tabindex="0"]').focus();
    await page.keyboard.press('Home');
    expect(await focused(page)).toContain('acme');
    await page.keyboard.press('ArrowRight');
    expect(await focused(page)).toContain('Add a retry');
    await page.keyboard.press('End');
    expect(await focused(page)).toContain('Retry the import');
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toContain('ledger');
    await expect(treeItem(page, /^ledger/)).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.press('ArrowLeft');
    await expect(treeItem(page, /^ledger/)).toHaveAttribute('aria-expanded', 'false');
    await expect(treeItem(page, /Round the totals/)).toHaveCount(0);
    await page.keyboard.press('ArrowRight');
    await expect(treeItem(page, /Round the totals/)).toBeVisible();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Add a cache' })).toBeVisible();
    const row = treeItem(page, /Add a cache/);
    await expect(row).toHaveAttribute('aria-selected', 'true');
    expect([await row.getAttribute('aria-level'), await row.getAttribute('aria-posinset')]).toEqual(['2', '2']);
    expect(complaints).toEqual([]);
  });

  test('filters stay in the address, and say what was looked for when nothing matches', async () => {
    const { page } = served;
    await page.getByLabel('Filter sessions by title').fill('retry');
    await expect(count(page)).toHaveText('2 sessions');
    expect(await titles(page)).toEqual(['acme', 'Add a retry', 'ledger', 'Retry the import']);

    await page.getByRole('button', { name: 'Projects' }).click();
    await page.getByRole('menuitemcheckbox', { name: /ledger/ }).click();
    await page.keyboard.press('Escape');
    await expect(count(page)).toHaveText('1 session');
    await page.reload();
    await expect(count(page)).toHaveText('1 session');
    await expect(page.getByLabel('Filter sessions by title')).toHaveValue('retry');

    await page.getByRole('button', { name: 'Time' }).click();
    await page.getByRole('menuitemradio', { name: 'the last 7 days' }).click();
    await expect(page.getByRole('heading', { name: 'Nothing matches' })).toBeVisible();
    await expect(page.getByText(/in ledger updated in the last 7 days that are not archived with “retry” in the title/)).toBeVisible();
    await page.getByRole('button', { name: 'Clear filter' }).click();
    await expect(count(page)).toHaveText('4 sessions');
    expect(new URL(page.url()).hash).toBe('#/');
  });

  test('sessions are grouped by day and agent, and ordered by creation', async () => {
    const { page } = served;
    await page.goto(`${new URL(page.url()).origin}/#/?group=agent&sort=created`);
    await expect.poll(() => titles(page)).toEqual(['Claude Code', 'Add a retry', 'Add a cache', 'Round the totals', 'Retry the import']);
    await page.goto(`${new URL(page.url()).origin}/#/?group=day`);
    await expect(treeItem(page, /Sun, Feb 1, 2026/)).toBeVisible();
  });

  test('a session that goes on moves up, and what is open and focused stays so', async () => {
    const { page } = served;
    await treeItem(page, /Round the totals/).click();
    await expect(page.getByRole('heading', { name: 'Round the totals' })).toBeVisible();
    const going = { ...transcripts[3], at: new Date().toISOString(), said: [...(transcripts[3] as Transcript).said, { you: 'Go on please' }] } as Transcript;
    appendFileSync(home.fileOf(going), recordsOf(going, 2).join(''));
    await expect.poll(() => titles(page), { timeout: 20_000 }).toEqual(['ledger', 'Retry the import', 'Round the totals', 'acme', 'Add a retry', 'Add a cache']);
    await expect(treeItem(page, /Round the totals/)).toHaveAttribute('aria-selected', 'true');
    expect(await focused(page)).toContain('Round the totals');
  });
});

test('keys keep the focus in a tree of which most is not loaded', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  home = claudeHome(Array.from({ length: 300 }, (_, at) => made(at + 1, 'acme', `Session ${at + 1}`, new Date(Date.parse('2026-02-01T10:00:00Z') - at * 60_000).toISOString())));
  const { page, close } = await servedPage({ home: home.home });
  try {
    await indexed(page);
    await expect(count(page)).toHaveText('300 sessions');
    await page.locator('[role="tree"] [tabindex="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => focused(page)).toContain('Session 300');
    await expect(page.locator('[role="treeitem"]:focus')).toBeInViewport();
    // Keys that come faster than the rows.
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused(page)).toContain('Session 299');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Session 299' })).toBeVisible();
    expect(await page.locator('[role="treeitem"][aria-setsize="-1"]').count()).toBe(0);
  } finally {
    await close();
    home.remove();
  }
});

test('a lost link is said, and the page goes on by itself when it is back', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  home = claudeHome(transcripts);
  const { page, close } = await servedPage({ home: home.home });
  try {
    let open = true;
    let cut = () => {};
    await page.routeWebSocket(/\/link$/, (socket) => {
      if (!open) {
        void socket.close({ code: 1011 });
        return;
      }
      socket.connectToServer();
      cut = () => void socket.close({ code: 1011 });
    });
    await page.reload();
    await indexed(page);
    await expect(count(page)).toHaveText('4 sessions');
    open = false;
    cut();
    await expect(page.getByText('The link to the engine is lost; connecting again')).toBeVisible();
    // What is drawn stays.
    await expect(treeItem(page, /Add a cache/)).toBeVisible();
    // A search waits with it, and says so.
    await page.getByRole('combobox', { name: /Search every part/ }).fill('cache');
    await expect(page.getByText('Waiting for Retrace to answer')).toBeVisible();
    await expect(page.getByRole('alert')).toHaveText('Retrace does not answer. If it was ended, start it again and open the link it prints.');
    await screenshot(page, 'page-lost');
    open = true;
    await expect(page.getByRole('option', { name: /Answer to Add a cache/ })).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByText('The link to the engine is lost; connecting again')).toHaveCount(0);
    await page.keyboard.press('Escape');
    await treeItem(page, /Add a cache/).click();
    await expect(page.getByText('Answer to Add a cache')).toBeVisible();
  } finally {
    await close();
    home.remove();
  }
});

test('a home without agents says where it looked and how to add a place', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const empty = temporaryFolder();
  const { page, close } = await servedPage({ home: empty.path });
  try {
    await expect(page.getByRole('heading', { name: 'No agents found' })).toBeVisible();
    await expect(page.getByTestId('library').getByText('There is no session to list.')).toBeVisible();
    await expect(page.getByTestId('middle').locator('.looked')).toContainText(`${empty.path}/.claude`);
    await expect(page.locator('.looked')).toContainText('not there; the usual place');
    await expect(page.getByText('npm start -- --home DIR')).toBeVisible();
    await screenshot(page, 'page-empty');
  } finally {
    await close();
    empty.remove();
  }
});
