import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture, recordedHome } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { indexed, openByTitle } from './page-home';
import { screenshot } from './screenshot';

const plans = (page: Page) => page.getByRole('list', { name: 'Plans' });
const row = (page: Page, name: RegExp) => plans(page).getByRole('button', { name }).and(page.locator('.work-row'));

/** The page on a fixture whose recorded folders are looked for in its copy. */
async function opened(name: string, change: (home: string) => void = () => undefined): Promise<{ fixture: Fixture; served: ServedPage }> {
  const fixture = openFixture('omo', name);
  change(fixture.home);
  const served = await servedPage({ home: fixture.home, args: ['--map', `${recordedHome}=${fixture.home}`] });
  await indexed(served.page);
  return { fixture, served };
}

test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  let fixture: Fixture;
  let served: ServedPage;
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    fixture.dispose();
  });

  test('plans, who took part and what is in them', async () => {
    ({ fixture, served } = await opened('works', (home) => writeFileSync(join(home, 'projects/notes/.omo/run-continuation/torn.json'), '{"sessionID":')));
    const { page } = served;
    await page.keyboard.press('w');
    await expect(page.getByRole('heading', { name: 'Plans and works' })).toBeVisible();
    expect(new URL(page.url()).hash).toBe('#/work');
    await expect(page.getByRole('region', { name: 'Work' }).getByRole('status')).toHaveText('3 plans in 1 project: 2 paused, 1 completed.');
    await expect(row(page, /^cleanup notes paused \(inferred\) 2 of 5 done/)).toBeVisible();
    await expect(row(page, /^done-soon notes completed 1 of 1 done/)).toBeVisible();
    const took = page.getByRole('list', { name: 'Sessions that took part in cleanup' });
    await expect(took.getByRole('listitem')).toHaveText([/^dead:Cleanup workAtlas - Plan Executorstarted here$/, /^missing:ses_dd81f645affealn3zjfhawYPAGstarted here$/]);
    await expect(page.getByRole('region', { name: 'Could not be read' })).toContainText('It is no JSON.');
    await row(page, /^search/).click();
    const search = page.locator('.work-plan', { has: page.locator('.work-title', { hasText: /^search$/ }) });
    await expect(search).toContainText('/home/dev/projects/notes-search');
    await expect(search).toContainText('1 of 3; 1 of 4 by those of 3.0');
    await expect(search.locator('.work-boxes li')).toHaveText([
      /^TODOsdone:1\. Tokenise notes$/, /^open:2\. Rank results$/, /^open:T3\. Malformed label is skippednot counted$/, /^Final Verification Waveopen:F1\. Try ten queries$/,
    ]);
    await search.locator('summary', { hasText: 'learnings' }).click();
    await expect(search.locator('pre').filter({ hasText: '# Learnings — search' })).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-work');
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'page-work-narrow');
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  });

  test('the keyboard goes from plan to plan, opens one, follows a session and comes back', async () => {
    ({ fixture, served } = await opened('works'));
    const { page } = served;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('plans over all');
    await page.keyboard.press('Enter');
    await row(page, /^cleanup/).focus();
    await page.keyboard.press('End');
    await expect(plans(page).locator('.work-row').last()).toBeFocused();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await expect(plans(page).locator('.work-row').nth(1)).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect(plans(page).locator('.work-row').first()).toHaveAttribute('aria-expanded', 'true');
    expect(new URL(page.url()).hash).toMatch(/^#\/work\?plan=[0-9a-f]{16}$/);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Cleanup work' })).toBeVisible();
    await page.goBack();
    await expect(plans(page).locator('.work-row').first()).toHaveAttribute('aria-expanded', 'true');
    await page.keyboard.press('Escape');
    await expect(plans(page)).toHaveCount(0);
  });

  test('the inspector tells what a session took part in, and the tree who works in it', async () => {
    ({ fixture, served } = await opened('boulder-active'));
    const { page } = served;
    await expect(page.getByRole('treeitem', { name: /Rate limiter work/ })).toContainText('Atlas');
    await expect(page.getByRole('treeitem', { name: /Plan the rate limiter/ })).toContainText('Prometheus');
    await openByTitle(page, /Rate limiter work/);
    await page.getByRole('tab', { name: 'Work' }).click();
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await expect(inspector.locator('.facts', { hasText: 'Plans' })).toContainText('started here');
    await expect(inspector.locator('.facts', { hasText: 'Continuation marker' })).toContainText('1 background task(s) active');
    await expect(inspector).toContainText('it was most likely left behind when the program ended');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-work-inspector');
    await inspector.getByRole('button', { name: 'rate-limit' }).click();
    await expect(plans(page).locator('.work-row')).toHaveAttribute('aria-expanded', 'true');
    await expect(plans(page)).toContainText('Written by');
    await expect(plans(page)).toContainText('Plan the rate limiter');
    await screenshot(page, 'page-work-open');
  });

  test('a record of work that is deleted while one looks stays, as stopped', async () => {
    ({ fixture, served } = await opened('works'));
    const { page } = served;
    await page.keyboard.press('w');
    await expect(row(page, /^search notes paused/)).toBeVisible();
    rmSync(join(fixture.home, 'projects/notes/.omo/boulder.json'));
    await expect(row(page, /^search notes stopped/)).toBeVisible({ timeout: 25_000 });
    await row(page, /^search/).click();
    await expect(plans(page)).toContainText('boulder.json, which named this work, was deleted');
  });

  for (const [name, words] of [
    ['goals', ['paused', '@@goalB@@ Translate every note', 'The side bar’s copy says in_progress.']],
    ['migrated-omo', ['frozen copy in .sisyphus', 'Make every example in docs runnable', 'the plugin that reads .omo has no such loop']],
    ['team', ['site-squad', 'header-dev · idle · quick · m1', 'Write footer']],
  ] as const) {
    test(`${name}: what goes on beside plans is told`, async () => {
      ({ fixture, served } = await opened(name));
      const { page } = served;
      await page.keyboard.press('w');
      for (const text of words) await expect(page.getByRole('region', { name: 'Work', exact: true })).toContainText(text);
      expect(await faults(page)).toEqual([]);
      await screenshot(page, `page-work-${name}`);
    });
  }

  test('a home without overlays says where they were looked for', async () => {
    ({ fixture, served } = await opened('errors'));
    const { page } = served;
    await page.keyboard.press('w');
    await expect(page.getByRole('heading', { name: 'No plans' })).toBeVisible();
    await screenshot(page, 'page-work-none');
  });
});
