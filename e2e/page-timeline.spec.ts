import { appendFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { claudeHome, indexed, openByTitle, recordsOf, type MadeHome, type Said, type Transcript } from './page-home';

const sentence = (number: number, words: number) => Array.from({ length: words }, (_, at) => `word${(number * 7 + at) % 97}`).join(' ');

/** Turns of every height: short and long prose, code, steps, failures. */
function turns(count: number): Said[] {
  return Array.from({ length: count }, (_, turn): Said[] => [
    { you: `Question ${turn}` },
    { agent: `Answer ${turn}. ${sentence(turn, 5 + ((turn * 13) % 150))}` },
    { tool: 'Bash', input: { command: `echo ${turn}` }, output: sentence(turn, 30), ...(turn % 9 === 4 && { failed: true }) },
    { agent: `${sentence(turn, 20)}\n\n\`\`\`ts\n${Array.from({ length: 1 + (turn % 24) }, (_line, line) => `const value${line} = ${turn};`).join('\n')}\n\`\`\`\n\n- one\n- two` },
  ]).flat();
}
const long: Transcript = { id: '33333333-3333-4333-8333-333333333333', project: 'acme', at: '2026-03-01T12:00:00Z', said: turns(400) };
const edits: Transcript = {
  id: '44444444-4444-4444-8444-444444444444', project: 'acme', at: '2026-03-02T12:00:00Z',
  said: [
    { you: 'Add a retry' },
    { tool: 'Edit', input: { file_path: '/home/dev/acme/src/up.ts', old_string: 'once', new_string: 'thrice' }, output: 'The file was updated.', result: { filePath: '/home/dev/acme/src/up.ts', structuredPatch: [{ oldStart: 3, oldLines: 2, newStart: 3, newLines: 2, lines: [' keep', '-send once', '+send thrice'] }] } },
    { tool: 'Bash', input: { command: 'npm test' }, output: `${Array.from({ length: 5_000 }, (_, line) => `line ${line}`).join('\n')}\nend`, failed: true },
    { tool: 'mcp__tracker__get', input: { id: 12 }, output: '{"title":"Retry"}' },
    { agent: 'Done.' },
  ],
};

const feed = (page: Page) => page.getByRole('feed', { name: 'Timeline' });
const partAtTop = (page: Page) =>
  feed(page).evaluate((element) => {
    const top = element.getBoundingClientRect().top;
    const first = [...element.querySelectorAll<HTMLElement>('.part')].find((part) => part.getBoundingClientRect().bottom > top + 1);
    return first ? { part: first.dataset['part'] ?? '', top: Math.round(first.getBoundingClientRect().top - top) } : null;
  });

let home: MadeHome;
let served: ServedPage;
test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.beforeEach(async () => {
    home = claudeHome([long, edits]);
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.remove();
  });

  test('what is opened near the lower edge comes into view', async () => {
    const { page } = served;
    const inFeed = (selector: string) => feed(page).evaluate((element, what) => {
      const inner = element.querySelector(what)?.getBoundingClientRect();
      const frame = element.getBoundingClientRect();
      return inner !== undefined && inner.top >= frame.top && inner.bottom <= frame.bottom + 1;
    }, selector);
    await openByTitle(page, 'Question 0');
    const step = page.locator('.part[data-kind="tool"]').nth(1);
    const place = await step.getAttribute('data-at');
    await step.evaluate((element) => {
      const scroller = element.closest('[role="feed"]') as HTMLElement;
      scroller.scrollTop += element.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom + 4;
    });
    const part = `.part[data-at="${place}"]`;
    await page.locator(part).focus();
    await page.keyboard.press('o');
    await page.locator(`${part} .fold-body`).waitFor();
    await expect.poll(() => inFeed(`${part} .fold-body`)).toBe(true);
    await page.keyboard.press('Enter');
    await expect(page.locator(`${part} .fold-body`)).toHaveCount(0);

    await page.setViewportSize({ width: 1440, height: 345 });
    await openByTitle(page, 'Add a retry');
    await page.locator('.part[data-kind="tool"]').first().focus();
    await page.keyboard.press('d');
    await expect(page.getByText('send thrice')).toBeVisible();
    await expect.poll(() => inFeed('.part[data-current] .fold-body')).toBe(true);
  });

  test('nothing jumps while one scrolls up from the end', async () => {
    const { page } = served;
    await openByTitle(page, 'Question 0');
    await page.keyboard.press('Escape');
    // Twice: the first time leads to an estimated end.
    for (let time = 0; time < 2; time += 1) {
      await feed(page).evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(400);
    }
    await expect(feed(page).locator('.part').last()).toContainText('word');
    const stepPx = 180;
    for (let step = 0; step < 120; step += 1) {
      const moved = await feed(page).evaluate(async (element, by) => {
        const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
        const box = element.getBoundingClientRect();
        const anchor = [...element.querySelectorAll<HTMLElement>('.part')].find((part) => part.getBoundingClientRect().bottom > box.top + 40 && part.getBoundingClientRect().top < box.bottom - by - 40);
        if (!anchor) return [];
        const { part } = anchor.dataset;
        const before = anchor.getBoundingClientRect().top;
        element.scrollBy(0, -by);
        const seen: number[] = [];
        for (let at = 0; at < 5; at += 1) {
          await frame();
          const now = element.querySelector(`[data-part="${CSS.escape(part ?? '')}"]`);
          if (now) seen.push(now.getBoundingClientRect().top - before - by);
        }
        return seen;
      }, stepPx);
      for (const off of moved) expect(Math.abs(off), `step ${step}`).toBeLessThanOrEqual(2);
      expect(moved.length).toBeGreaterThan(0);
    }
  });

  test('the place one reads is kept when parts arrive, and found again later', async () => {
    const { page } = served;
    await openByTitle(page, 'Question 0');
    await feed(page).evaluate((element) => element.scrollTo(0, 9_000));
    await page.waitForTimeout(500);
    const before = await partAtTop(page);
    expect(before?.part).toBeTruthy();

    const more: Transcript = { ...long, at: '2026-03-03T12:00:00Z', said: [...long.said, { you: 'And one thing more' }, { agent: 'Surely.' }] };
    appendFileSync(home.fileOf(long), recordsOf(more, long.said.length).join(''));
    await expect(page.getByRole('button', { name: '2 new parts' })).toBeVisible({ timeout: 20_000 });
    expect(await partAtTop(page)).toEqual(before);

    await openByTitle(page, 'Add a retry');
    await expect(page.getByRole('heading', { name: 'Add a retry' })).toBeVisible();
    await page.getByRole('treeitem', { name: 'Question 0' }).click();
    await expect.poll(async () => (await partAtTop(page))?.part).toBe(before?.part);
    await expect.poll(async () => Math.abs(((await partAtTop(page))?.top ?? 999) - (before?.top ?? 0))).toBeLessThanOrEqual(2);
  });

  test('a link to a part opens the session there', async () => {
    const { page } = served;
    await openByTitle(page, 'Question 0');
    await feed(page).evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await page.waitForTimeout(500);
    const part = (await partAtTop(page))?.part ?? '';
    const session = part.slice(0, part.indexOf('#'));
    await page.goto('about:blank');
    await page.goto(`${served.server.url}#/session/${encodeURIComponent(session)}/part/${encodeURIComponent(part)}`);
    const linked = page.locator(`[data-part="${part}"]`);
    await expect(linked).toBeInViewport();
    await expect(linked).toHaveAttribute('data-current', 'true');
    // It stands near the top, with a little of what comes before it.
    const top = () => linked.evaluate((element) => Math.round(element.getBoundingClientRect().top - (element.closest('[role="feed"]')?.getBoundingClientRect().top ?? 0)));
    await expect.poll(top).toBe(24);
    await expect(page.getByRole('treeitem', { selected: true })).toContainText('Question 0');
  });

  test('keys walk parts, turns and errors', async () => {
    const { page } = served;
    await openByTitle(page, 'Question 0');
    const current = () => page.locator('.part[data-current]');
    await page.keyboard.press('n');
    await expect(current()).toContainText('Question 0');
    await page.keyboard.press('n');
    await expect(current()).toContainText('Question 1');
    await page.keyboard.press('j');
    await expect(current()).toContainText('Answer 1.');
    await page.keyboard.press('k');
    await page.keyboard.press('p');
    await expect(current()).toContainText('Question 0');
    await page.keyboard.press('e');
    await expect(current()).toContainText('echo 4');
    await expect(current()).toContainText('failed');
    await page.keyboard.press('e');
    await expect(current()).toContainText('echo 13');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'All keys' })).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Escape');
    await expect(current()).toContainText('echo 13');
  });

  test('a step shows its outcome folded, and its diff, output and record opened', async () => {
    const { page } = served;
    await openByTitle(page, 'Add a retry');
    const step = (name: string) => page.locator('.part[data-kind="tool"]').filter({ has: page.locator('.fold-label', { hasText: new RegExp(`^${name}$`) }) });
    await expect(step('Edit').locator('.fold-line')).toContainText('src/up.ts');
    await expect(step('Edit').locator('.edit-counts')).toContainText('+1');
    await expect(step('Bash')).toContainText('failed');
    await expect(step('Bash')).toContainText('end');

    await step('Edit').locator('.fold-line').click();
    await expect(step('Edit').locator('.dl-cell[data-mark="-"] .dl-shift')).toHaveText('send once');
    await expect(step('Edit').locator('.dl-cell[data-mark="+"] .word')).toHaveText('thrice');

    await step('Bash').locator('.fold-line').click();
    await expect(step('Bash')).toContainText('line 29');
    await expect(step('Bash')).not.toContainText('line 2500');
    await step('Bash').getByRole('button', { name: /^Show [\d,]+ lines$/ }).click();
    await expect(step('Bash')).toContainText('line 2500');

    await step('mcp__tracker__get').locator('.fold-line').click();
    await expect(step('mcp__tracker__get')).toContainText('"id": 12');
    await page.keyboard.press('r');
    await expect(step('mcp__tracker__get').getByRole('region', { name: 'Record', exact: true })).toContainText('"tool_use"');
  });
});
