import { expect, test, type Page } from '@playwright/test';
import { faults as faultsOf } from './faults';
import { openFixture } from './fixtures';
import { noBrowser, servedPage } from './launch';
import { indexed, openByTitle } from './page-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

/** Here the lesser faults count as well. */
const faults = (page: Page) => faultsOf(page, { moderate: true });

test.describe('what the page says of a compacted session', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const fixture = openFixture('claude-code', 'compact');
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), (page) => openByTitle(page, 'Please sketch a bracket parser'));

  test('what the agent put in is folded also where it was compacted, and a switch opens all of it', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1440, height: 4_000 });
    const runs = page.getByRole('article', { name: /hidden parts$/ });
    await expect(runs.first()).toBeVisible();
    await expect(page.locator('.part-ghost')).toHaveCount(0);
    const folded = await page.locator('.part').count();
    await page.getByRole('button', { name: 'Injected' }).click();
    await expect(runs.first().getByRole('button', { expanded: true })).toBeVisible();
    await expect.poll(() => page.locator('.part').count()).toBeGreaterThan(folded);
    await page.reload();
    await expect(runs.first().getByRole('button', { expanded: true })).toBeVisible();
    await page.getByRole('button', { name: 'Injected' }).click();
    await expect.poll(() => page.locator('.part').count()).toBe(folded);
  });

  test('the list of what is sent tells the first words of texts', async () => {
    const { page } = served;
    await page.getByRole('tab', { name: 'Context' }).click();
    await expect(page.getByRole('button', { name: /^(you|agent) · text · \w+/ }).first()).toBeVisible();
    await screenshot(page, 'says-context');
  });

  test('beside another view the inspector says whose facts it tells', async () => {
    const { page } = served;
    const back = page.getByRole('region', { name: 'Inspector' }).getByRole('button', { name: /bracket parser/ });
    await expect(back).toBeHidden();
    await page.keyboard.press('w');
    await expect(back).toBeVisible();
    await screenshot(page, 'says-beside');
    await back.click();
    await expect(page.getByRole('feed', { name: 'Timeline' })).toBeVisible();
  });

  test('an address that names what is not there is answered', async () => {
    const { page } = served;
    const open = page.url().replace(/\/part\/.*|\?.*/, '');
    const said = page.getByRole('status').locator('.toast');
    await page.goto(`${open}/part/nope`);
    await expect(said).toHaveText(/no such part/);
    await page.goto(`${open}?branch=77`);
    await expect(said).toHaveText(/There is no branch 77/);
    await page.goto(`${open}?before=nope`);
    await expect(said).toHaveText(/no message or part/);
    await page.goto('about:blank');
    await page.goto(`${open}/part/nope`);
    await expect(said).toHaveText(/no such part/);
  });

  test('a small window shows every tab and the size of the epoch', async () => {
    const { page } = served;
    await page.setViewportSize({ width: 1024, height: 700 });
    const inspector = page.getByRole('region', { name: 'Inspector' });
    if (!(await inspector.isVisible())) await page.getByRole('button', { name: 'Show or hide the inspector' }).click();
    for (const tab of await inspector.getByRole('tab').all()) await expect(tab).toBeInViewport({ ratio: 1 });
    await expect(page.locator('.epoch-words').getByText(/tokens$/)).toBeInViewport({ ratio: 1 });
    await screenshot(page, 'says-small');
  });

  test('every view has its heading, its landmarks and readable marks', async () => {
    const { page } = served;
    expect(await faults(page)).toEqual([]);
    for (const hash of ['#/', '#/search?q=bracket', '#/search', '#/doctor', '#/work', '#/memory']) {
      await page.evaluate((to) => void (location.hash = to), hash);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      expect({ hash, faults: await faults(page) }).toEqual({ hash, faults: [] });
    }
    // The mark of every agent stands on a selected row sooner or later.
    const marks = page.getByRole('treeitem', { selected: true }).or(page.getByRole('treeitem').nth(1)).first().locator('.agent-mark');
    await openByTitle(page, 'Please sketch a bracket parser');
    for (const agent of ['opencode', 'claude-code', 'codex', 'aider', 'retrace']) {
      await marks.evaluate((mark, to) => void (mark.setAttribute('data-agent', to)), agent);
      expect({ agent, faults: await faults(page) }).toEqual({ agent, faults: [] });
    }
  });
});

test.describe('what the page says of a session of OpenCode', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const fixture = openFixture('opencode', 'v118-compaction');
  test.afterAll(() => fixture.dispose());

  test('a live part that is not sent is not said to be seen by the model', async () => {
    const served = await servedPage({ home: fixture.home });
    const { page } = served;
    await indexed(page);
    await page.getByRole('treeitem', { level: 2 }).first().click();
    await page.locator('.part').first().waitFor();
    await page.locator('.timeline-scroller').hover();
    await page.mouse.wheel(0, 100_000);
    await expect(page.locator('.part[data-unsent][data-state="live"] .state-mark').first()).toHaveAttribute('data-hint', /^not sent: /);
    expect(await page.locator('.part[data-unsent] .state-mark[data-hint^="live"]').count()).toBe(0);
    await expect(page.locator('.legend').getByText('live, not sent', { exact: true })).toBeVisible();
    await screenshot(page, 'says-not-sent');
    expect(served.complaints).toEqual([]);
    await served.close();
  });
});
