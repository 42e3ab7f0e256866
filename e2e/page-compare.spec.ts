import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser } from './launch';
import { openByTitle } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

const comparison = (page: Page) => page.getByRole('region', { name: 'Comparison', exact: true });
const side = (page: Page, name: 'A' | 'B') => comparison(page).getByRole('region', { name: new RegExp(`^${name}: `) });
const hash = (page: Page) => decodeURIComponent(new URL(page.url()).hash);

let fixture: Fixture;

test.skip(noBrowser !== undefined, noBrowser);

test.describe('a session that was rewound', () => {
  const id = 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5';
  test.beforeAll(() => void (fixture = openFixture('claude-code', 'rewind')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), (page) => openByTitle(page, 'Please add a greeting module'));

  test('the tree is switched where it divides', async () => {
    const { page } = served;
    const fork = page.locator('.part[data-at="21"]').getByRole('group', { name: '2 branches go on from here' });
    await fork.scrollIntoViewIfNeeded();
    await expect(fork.getByRole('button', { name: /^current 3 turns Please list what exists now$/ })).toHaveAttribute('aria-pressed', 'true');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-divide');
    await fork.getByRole('button', { name: /^branch 1 2 turns Next, record the build/ }).click();
    expect(page.url()).toContain('branch=1');
    await expect(page.locator('.part[data-current]')).toHaveAttribute('data-at', '22');
    await expect(page.locator('.part[data-at="22"]')).toHaveAttribute('data-state', 'live');
    await page.keyboard.press('b');
    await expect(page.getByRole('menuitemradio', { name: /Branch 1.*2 turns · 1 file \+1 −1.*util\.js is gone and the version is 2\./ })).toHaveAttribute('aria-checked', 'true');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-menu');
    await page.getByRole('menuitem', { name: 'Compare branch 1 with the current branch' }).click();
    await expect(comparison(page)).toContainText('7 messages and 2 turns in common · branches of one session');
    expect(hash(page)).toBe(`#/compare/${id}/${id}?branch-a=1`);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-branches');
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'compare-small');
    expect(await page.evaluate(() => document.querySelector('.compare')?.scrollWidth === document.querySelector('.compare')?.clientWidth)).toBe(true);
  });

  test('under the lens of one branch the other takes its place', async () => {
    const { page } = served;
    await page.getByRole('radio', { name: 'This branch' }).click();
    await expect(page.locator('.part[data-at="22"][data-kind="text"]')).toHaveCount(0);
    await page.locator('.part[data-at="21"]').getByRole('button', { name: /^branch 1/ }).click();
    await expect(page.locator('.part[data-at="22"][data-kind="text"]')).toBeVisible();
    await expect(page.locator('.part[data-at="31"][data-kind="text"]')).toHaveCount(0);
  });

  test('a comparison is chosen, changed and left by keyboard, and each thing leads to its part', async () => {
    const { page } = served;
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: 'Compare with' });
    await expect(dialog.getByRole('option')).toHaveText([/Branch 1.*util\.js is gone/, /Branch 2.*Renamed to salute/]);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-picker');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(side(page, 'B')).toContainText('branch 2 of 3');
    await expect(side(page, 'B')).toContainText('left for another branch');
    await expect(side(page, 'A')).toContainText('current branch of 3');
    const turns = comparison(page).getByRole('listitem').filter({ hasText: 'Please rename greet to welcome' });
    await expect(turns).toContainText('Please rename greet to salute');
    await expect(comparison(page).getByRole('row').nth(1)).toHaveText(/greet\.js\+1 −1\+1 −1/);
    await side(page, 'B').getByRole('button', { name: /^Branch of B/ }).click();
    await page.getByRole('menuitemradio', { name: 'Branch 1', exact: true }).click();
    await expect(comparison(page).getByRole('region', { name: 'B knows, A does not' })).toContainText('rm util.js && ls');
    await comparison(page).getByRole('button', { name: 'Swap' }).click();
    expect(hash(page)).toBe(`#/compare/${id}/${id}?branch-a=1`);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('feed', { name: 'Timeline' })).toBeVisible();
    await page.goBack();
    await comparison(page).getByRole('button', { name: 'rm util.js && ls' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.locator('.part[data-current]')).toHaveAttribute('data-at', '27');
  });

  test('what is not there is refused, and the same twice leaves nothing', async () => {
    const { page } = served;
    const go = (address: string) => page.evaluate((to) => (location.hash = to), address);
    await go(`#/compare/${encodeURIComponent(id)}/claude-code%2Fnowhere`);
    await expect(page.getByRole('heading', { name: 'These two can not be compared' })).toBeVisible();
    await expect(page.getByText('The library has no session claude-code/nowhere.')).toBeVisible();
    await go(`#/compare/${encodeURIComponent(id)}/${encodeURIComponent(id)}`);
    await expect(comparison(page)).toContainText('It is the same branch twice: there is nothing in which they differ.');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-same');
  });
});

test.describe('a fork', () => {
  test.beforeAll(() => void (fixture = openFixture('claude-code', 'fork')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), (page) => openByTitle(page, 'Please start the counter module'));

  test('is compared with its origin from the inspector, and found in the palette', async () => {
    const { page } = served;
    await page.getByRole('tab', { name: 'Lineage' }).click();
    await page.getByRole('button', { name: 'Compare with this session' }).click();
    await expect(comparison(page)).toContainText('12 messages and 3 turns in common · recorded');
    await expect(side(page, 'B')).toContainText('The class-based counter is complete.');
    await expect(comparison(page).getByRole('region', { name: 'B knows, A does not' }).getByRole('button')).toHaveText(['counter-class.js']);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'compare-fork');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').last().fill('compare with');
    await page.getByRole('option', { name: /Compare with another branch or session/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Compare with' });
    await expect(dialog.getByRole('option')).toHaveCount(1);
    await dialog.getByRole('option').click();
    await expect(comparison(page)).toBeVisible();
  });
});
