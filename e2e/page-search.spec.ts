import { expect, test, type Page } from '@playwright/test';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { claudeHome, indexed, openByTitle, type MadeHome, type Transcript } from './page-home';
import { screenshot } from './screenshot';

const filler = Array.from({ length: 300 }, (_, at) => ({ agent: `Filler ${at}. ${'Nothing of note happened here. '.repeat(1 + (at % 7))}` }));
const wanted: Transcript = {
  id: '55555555-5555-4555-8555-555555555555', project: 'acme', at: '2026-03-01T12:00:00Z',
  said: [
    { you: 'Why does it fail?' }, ...filler,
    { tool: 'Bash', input: { command: 'export CI=1 && make check' }, output: 'first line\nfatal: zebrafish was not found <b>here</b>\nlast line' },
    { agent: 'The zebrafish is missing.' }, ...filler.slice(0, 50),
  ],
};
const other: Transcript = { id: '66666666-6666-4666-8666-666666666666', project: 'ledger', at: '2026-02-01T12:00:00Z', said: [{ you: 'Tell me of the zebrafish' }, { agent: 'It has stripes.' }] };

const box = (page: Page) => page.getByRole('combobox', { name: /Search every part/ });
const hits = (page: Page) => page.getByRole('option');

let home: MadeHome;
let served: ServedPage;
test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeEach(async () => {
    home = claudeHome([wanted, other]);
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.remove();
  });

  test('a word leads to its part, unfolded and marked', async () => {
    const { page } = served;
    await page.keyboard.press('/');
    await page.keyboard.type('zebrafish');
    await expect(hits(page)).toHaveCount(3);
    await expect(page.getByText('3 hits')).toBeVisible();
    const inOutput = hits(page).filter({ hasText: 'fatal' });
    await expect(inOutput.locator('mark')).toHaveText('zebrafish');
    await expect(inOutput).toContainText('<b>here</b>');

    // The arrows walk the hits while one types.
    const place = await inOutput.getAttribute('id');
    for (let at = 0; at < Number(place?.replace('hit-', '')); at += 1) await page.keyboard.press('ArrowDown');
    await expect(inOutput).toHaveAttribute('aria-selected', 'true');
    await page.keyboard.press('Enter');
    const part = page.locator('.part[data-current]');
    await expect(part).toContainText('fatal: zebrafish was not found <b>here</b>');
    await expect(part).toBeInViewport();
    expect(decodeURIComponent(new URL(page.url()).hash)).toMatch(/^#\/session\/.+\/part\/.+/);
    await expect.poll(() => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String))).toEqual(['zebrafish']);
  });

  test('Esc leaves the search for what was open before', async () => {
    const { page } = served;
    await openByTitle(page, 'Tell me of the zebrafish');
    await page.keyboard.press('/');
    await page.keyboard.type('stripes');
    await expect(hits(page)).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { name: 'Tell me of the zebrafish' })).toBeVisible();
  });

  test('filters that were understood are shown, and anything typed is a query', async () => {
    const { page } = served;
    await box(page).fill('zebrafish project:ledger');
    await expect(hits(page)).toHaveCount(1);
    await expect(page.locator('.search-status .chip')).toHaveText('project: ledger');
    for (const odd of ['error-401', 'a.b()', '"open quote', '*', 'AND OR (', 'role:', '<script>']) {
      await box(page).fill(odd);
      await expect(page.getByText(/\d+ hits?$|Nothing found|newest hits/).first()).toBeVisible();
    }
    await box(page).fill('xylophone');
    await expect(page.getByRole('heading', { name: 'Nothing found' })).toBeVisible();
    await expect(page.getByText(/Searched prompts, answers, reasoning, tool input and output/)).toBeVisible();
  });

  test('find in session walks its hits in order', async () => {
    const { page } = served;
    await openByTitle(page, 'Why does it fail?');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('zebrafish');
    const bar = page.getByRole('search', { name: 'Find in session' });
    await expect(bar.getByRole('status')).toHaveText('1 of 2');
    await expect(page.locator('.part[data-current]')).toContainText('fatal');
    await page.keyboard.press('Enter');
    await expect(bar.getByRole('status')).toHaveText('2 of 2');
    await expect(page.locator('.part[data-current]')).toContainText('The zebrafish is missing.');
    await page.keyboard.press('Escape');
    await expect(bar).toHaveCount(0);
  });

  test('find in session marks words in tool input and output, and begins where one reads', async () => {
    const { page } = served;
    const marked = () => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map((range) => `${range.toString()} in ${(range as Range).startContainer.parentElement?.closest('pre')?.getAttribute('aria-label') ?? 'prose'}`).sort());
    await openByTitle(page, 'Why does it fail?');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('make');
    const bar = page.getByRole('search', { name: 'Find in session' });
    await expect(bar.getByRole('status')).toHaveText('1 of 1');
    await expect(page.locator('.part[data-current] code [class^="hljs"]').first()).toBeVisible();
    await expect.poll(marked).toContain('make in Command');
    await bar.getByRole('textbox').fill('zebrafish');
    await expect(bar.getByRole('status')).toHaveText('1 of 2');
    await expect.poll(marked).toEqual(['zebrafish in Output', 'zebrafish in prose']);
    await screenshot(page, 'page-find');
    await page.keyboard.press('Escape');

    // From below the last but one hit the next is the last.
    await page.locator('.part', { hasText: 'The zebrafish is missing.' }).click();
    await page.keyboard.press('Control+f');
    await bar.getByRole('textbox').fill('zebrafish');
    await expect(bar.getByRole('status')).toHaveText('2 of 2');
  });

  test('the palette finds sessions, commands and the search', async () => {
    const { page } = served;
    await page.keyboard.press('Control+k');
    // Without an open session nothing can be done with one.
    await expect(page.locator('[cmdk-group-heading]')).toHaveText(['Go', 'Library', 'View']);
    await page.keyboard.type('tell me');
    await page.getByRole('option', { name: /Tell me of the zebrafish/ }).click();
    await expect(page.getByRole('heading', { name: 'Tell me of the zebrafish' })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('group sessions by day');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('treeitem', { name: /Sun, Mar 1, 2026/ })).toBeVisible();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('stripes');
    await page.getByRole('option', { name: /Search every part for “stripes”/ }).click();
    await expect(hits(page)).toHaveCount(1);
  });
});
