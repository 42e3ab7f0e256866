import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { claudeHome, indexed, openByTitle, type MadeHome, type Transcript } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

const inspector = (page: Page) => page.getByRole('region', { name: 'Inspector' });
const damageLines = (page: Page) => page.locator('.damage-line');
/** Whether an element stands on the screen inside the timeline. */
const isShown = (page: Page, selector: string) =>
  page.evaluate((wanted) => {
    const inner = document.querySelector(wanted)?.getBoundingClientRect();
    const frame = document.querySelector('.timeline-scroller')?.getBoundingClientRect();
    return inner !== undefined && frame !== undefined && inner.height > 0 && inner.top >= frame.top - 1 && inner.bottom <= frame.bottom + 1;
  }, selector);

const long: Transcript = {
  id: '77777777-7777-4777-8777-777777777777', project: 'acme', at: '2026-03-01T12:00:00Z',
  said: Array.from({ length: 120 }, (_, turn) => [{ you: `Question ${turn}` }, { agent: `Answer ${turn}` }]).flat(),
};

test.describe('damage', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  let home: MadeHome;
  let served: ServedPage;
  test.beforeEach(async () => {
    home = claudeHome([long]);
    const file = home.fileOf(long);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    // Behind line 100 a run of NUL bytes, seven broken lines behind line 160, and a last line that is cut.
    const harmed = [...lines.slice(0, 100), '\0'.repeat(420), ...lines.slice(100, 160), ...Array.from({ length: 7 }, (_, at) => `{"broken ${at}`), ...lines.slice(160)];
    writeFileSync(file, `${harmed.join('\n')}\n${lines[0]?.slice(0, 50) ?? ''}`);
    // Long ago: nobody is in the middle of that line.
    utimesSync(file, new Date(0), new Date(0));
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.remove();
  });

  test('stands between the parts it lies between, and is reached from list and doctor', async () => {
    const { page } = served;
    await openByTitle(page, 'Question 0');
    await expect(damageLines(page)).toHaveCount(0);
    await expect(page.getByRole('img', { name: /Map of the session.*9 damaged places/ })).toBeVisible();
    const list = inspector(page).locator('section.facts').filter({ hasText: '9 damaged places' });
    await list.getByRole('button').first().click();
    await expect.poll(() => isShown(page, '.part[data-at="100"] .damage-line')).toBe(true);
    await expect(page.locator('.part[data-at="100"] .damage-line')).toHaveText(/^damagedline 101, 420 BNUL bytes, no record.*77777777-7777-4777-8777-777777777777\.jsonl$/);
    expect(await page.locator('.part[data-at="99"] .damage-line').count()).toBe(0);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-damage');
    await page.setViewportSize({ width: 1024, height: 700 });
    // The line is focused by keys, and says then which file it is.
    await page.locator('.part[data-at="100"]').focus();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('tooltip')).toContainText('projects/-home-dev-acme/77777777');

    await list.getByRole('button').nth(1).click();
    await expect.poll(() => isShown(page, '.part[data-at="160"] .damage-line')).toBe(true);
    await expect(page.locator('.part[data-at="160"] .damage-line')).toHaveCount(6);
    await expect(page.locator('.part[data-at="160"] .damage-line').last()).toHaveText('and 2 more damaged places here; the inspector names them');
    await screenshot(page, 'page-damage-many');

    // Behind the last part.
    await list.getByRole('button').last().click();
    await expect.poll(() => isShown(page, '.part[data-at="239"] .damage-line')).toBe(true);
    await expect(page.locator('.part[data-at="239"] .damage-line')).toContainText('the last line ends in the middle of a record');

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('doctor');
    await page.getByRole('option', { name: 'Doctor: what was read and what was not' }).click();
    await page.getByRole('region', { name: /^Claude Code/ }).getByRole('row').nth(1).getByRole('button').click();
    await expect.poll(() => isShown(page, '.part[data-at="100"] .damage-line')).toBe(true);
  });
});

test.describe('diagnoses', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  let fixture: Fixture;
  test.beforeAll(() => void (fixture = openFixture('omo', 'errors')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }));

  test('stand on their part, with what would help', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1024, height: 700 });
    await openByTitle(page, 'tool-result-missing');
    const line = page.locator('.part[data-at="10"] .diagnosis');
    await expect(line).toContainText('Tool result missing. The provider refused the request: a tool call in the history has no result.What would help: A fork from before that call; the same prompt sent again fails again.');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-diagnosis');
    await inspector(page).getByRole('button', { name: 'Tool result missing' }).click();
    await expect(page.locator('.part[data-current]')).toHaveAttribute('data-at', '10');
    // e goes to the next error, and a diagnosis is one.
    await page.locator('.part[data-at="0"]').focus();
    await page.keyboard.press('e');
    await expect(page.locator('.part[data-current]')).toHaveAttribute('data-at', '10');
    await line.focus();
    await expect(page.getByRole('tooltip')).toContainText('failed with APIError: messages.3');

    for (const title of ['empty-reply', 'killed-tool', 'context-limit']) {
      await openByTitle(page, title);
      await expect(page.locator('.diagnosis')).toHaveCount(1);
      await page.locator('.diagnosis').scrollIntoViewIfNeeded();
      await screenshot(page, `page-diagnosis-${title}`);
    }
  });
});
