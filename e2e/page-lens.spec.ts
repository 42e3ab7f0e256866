import { appendFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage } from './launch';
import { claudeHome, indexed, openByTitle, recordsOf } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

const feed = (page: Page) => page.getByRole('feed', { name: 'Timeline' });
const lens = (page: Page, name: string) => page.getByRole('radio', { name, exact: true });
/** What stands in the timeline, a line a row: the state of a part, or the words of a run. */
const rows = (page: Page) => feed(page).locator('article').evaluateAll((articles) => articles.map((article) => (article.dataset['kind'] === 'run' ? (article.getAttribute('aria-label') ?? '') : `${article.dataset['kind']} ${article.dataset['state']}`)));

const scroller = (page: Page) => page.locator('.timeline-scroller');
const toEnd = (page: Page) => scroller(page).evaluate((element) => element.scrollHeight - element.clientHeight - element.scrollTop);
/** Scrolls as a wheel does, so that the page knows a person did it. */
async function wheel(page: Page, by: number): Promise<void> {
  await scroller(page).hover();
  await page.mouse.wheel(0, by);
  await page.waitForTimeout(300);
}
/** How far below the top of the timeline a part stands, px. */
const standsAt = (page: Page, part: string) => page.locator(`.part[data-part="${part}"]`).evaluate((element) => Math.round(element.getBoundingClientRect().top - (element.closest('.timeline-scroller')?.getBoundingClientRect().top ?? 0)));

let fixture: Fixture;

test.describe('a compacted session of Claude Code', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeAll(() => void (fixture = openFixture('claude-code', 'compact')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), (page) => openByTitle(page, 'Please sketch a bracket parser'));

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

  test('a switch of the lens keeps the reading place, at the end and in the middle', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1440, height: 600 });
    await expect.poll(() => rows(page)).toContain('text compacted');
    await wheel(page, 100_000);
    await expect.poll(() => toEnd(page)).toBeLessThan(4);
    await page.keyboard.press('l');
    await expect(feed(page).getByRole('button', { name: /parts left out/ }).first()).toBeAttached();
    await page.keyboard.press('l');
    await expect.poll(() => rows(page)).toContain('text live');
    await expect.poll(() => toEnd(page)).toBeLessThan(4);
    // As fast as one can type.
    await page.keyboard.press('l');
    await page.keyboard.press('l');
    await page.waitForTimeout(800);
    expect(await toEnd(page)).toBeLessThan(4);

    // A chosen part in the middle stays chosen and where it stands.
    await wheel(page, -600);
    const middle = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.part[data-part]')].find((part) => part.getBoundingClientRect().top > 260)?.dataset['part'] ?? '');
    await page.locator(`.part[data-part="${middle}"] .part-mark`).click();
    const stood = await standsAt(page, middle);
    await page.keyboard.press('l');
    await page.waitForTimeout(700);
    await page.keyboard.press('l');
    await page.waitForTimeout(700);
    await expect(page.locator('.part[data-current]')).toHaveAttribute('data-part', middle);
    expect(Math.abs((await standsAt(page, middle)) - stood)).toBeLessThan(4);
  });

  test('looking aside and coming back keeps the reading place', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1440, height: 600 });
    await expect.poll(() => rows(page)).toContain('text compacted');
    await wheel(page, 100_000);
    await wheel(page, -400);
    const read = await page.evaluate(() => [...document.querySelectorAll<HTMLElement>('.part[data-part]')].find((part) => part.getBoundingClientRect().top > 260)?.dataset['part'] ?? '');
    const stood = await standsAt(page, read);
    const back = async () => {
      await page.locator(`.part[data-part="${read}"]`).waitFor();
      await page.waitForTimeout(700);
      expect(Math.abs((await standsAt(page, read)) - stood)).toBeLessThan(4);
    };
    const mapIsOpen = () => page.getByRole('region', { name: 'Map', exact: true }).waitFor();
    await page.keyboard.press('m');
    await mapIsOpen();
    await page.keyboard.press('m');
    await back();
    await page.keyboard.press('m');
    await mapIsOpen();
    await page.keyboard.press('Escape');
    await back();
    const aside: [string, string][] = [['w', 'Work'], ['Control+Alt+m', 'Memory']];
    for (const [key, title] of aside) {
      await page.keyboard.press(key);
      await page.waitForFunction((word) => location.hash.startsWith(`#/${word}`), title.toLowerCase());
      await expect(feed(page)).toBeHidden();
      await page.keyboard.press('Escape');
      await back();
      await page.keyboard.press(key);
      await expect(feed(page)).toBeHidden();
      await page.goBack();
      await back();
    }
    await page.evaluate(() => void (location.hash = '#/doctor'));
    await expect(feed(page)).toBeHidden();
    await page.keyboard.press('Escape');
    await back();
    // At the end one stays at the end.
    await wheel(page, 100_000);
    await page.keyboard.press('w');
    await expect(feed(page)).toBeHidden();
    await page.keyboard.press('Escape');
    await feed(page).waitFor();
    await expect.poll(() => toEnd(page)).toBeLessThan(4);
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
    await screenshot(page, 'lens-compare');
    await sheet.getByRole('tab', { name: 'All it replaced' }).click();
    await sheet.getByRole('listitem').first().waitFor();
    await page.keyboard.press('Escape');
    await expect(sheet).toBeHidden();
  });

  test('the context is charted and walked by keys', async () => {
    const { page } = served;
    await page.getByRole('tab', { name: 'Context' }).click();
    const chart = page.getByRole('slider', { name: 'Size of the context over the session' });
    await chart.focus();
    await page.keyboard.press('End');
    await expect(chart).toHaveAttribute('aria-valuetext', /[\d,]+ tokens · /);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'lens-context');
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await expect(feed(page).locator('[data-current]')).toBeVisible();
    await page.setViewportSize({ width: 1024, height: 700 });
    await lens(page, 'Model sees').click();
    await screenshot(page, 'lens-small');
  });
});

test.describe('a session that was rewound', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeAll(() => void (fixture = openFixture('field', 'cc-branches')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), async (page) => {
    await page.getByRole('treeitem').nth(1).click();
    await page.locator('.part').first().waitFor();
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
    await screenshot(page, 'lens-branch');
  });
});

test.describe('a session at work', () => {
  test.skip(noBrowser !== undefined, noBrowser);

  test('the context follows what is written while one looks', async () => {
    const transcript = { id: '55555555-5555-4555-8555-555555555555', project: 'acme', at: '2026-03-01T12:00:00Z', said: [{ you: 'Begin' }, { agent: 'Begun.' }] };
    const home = claudeHome([transcript]);
    const own = await servedPage({ home: home.home });
    const { page } = own;
    await indexed(page);
    await openByTitle(page, 'Begin');
    await page.getByRole('tab', { name: 'Context' }).click();
    const sent = page.locator('.fact-list > div').filter({ hasText: /^Parts/ }).first();
    await expect(sent).toHaveText('Parts2');
    const grown = { ...transcript, said: [...transcript.said, { you: 'Go on' }, { agent: 'Gone on.' }] };
    appendFileSync(home.fileOf(transcript), recordsOf(grown, 2).join(''));
    await expect(sent).toHaveText('Parts4');
    expect(own.complaints).toEqual([]);
    await own.close();
    home.remove();
  });
});
