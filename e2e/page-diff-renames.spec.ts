import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import type { Fixture } from './fixtures';
import { noBrowser, temporaryFolder } from './launch';
import { treesHome, treesSession } from './trees-home';
import { screenshot } from './screenshot';
import { pagesOf } from './pages';

/** A file that a shell moved and changed: a rename that no record tells. */

const plan = Array.from({ length: 60 }, (_, at) => `${at + 1}. A step of the plan that is written out\n`);
const roadmap = plan.with(29, '30. Another step\n');
const session = `opencode/${treesSession.native}`;
const lines = (page: Page) => page.getByRole('region', { name: /^Changed lines of/ });

test.describe('an inferred rename', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  let fixture: Fixture;
  test.beforeAll(() => void (fixture = treesHome({ 'docs/plan.md': plan.join('') }, { 'docs/plan.md': null, 'docs/roadmap.md': roadmap.join('') }, 'git mv docs/plan.md docs/roadmap.md')));
  test.afterAll(() => fixture.dispose());
  const served = pagesOf(() => ({ home: fixture.home }), (page) => page.evaluate((to) => void (location.hash = to), `#/session/${encodeURIComponent(session)}/files?file=${encodeURIComponent(`${treesSession.folder}/docs/roadmap.md`)}`));

  test('is shown as one, with what says so', async () => {
    const { page } = served;
    await expect(page.getByText('renamed from docs/plan.md')).toBeVisible();
    await page.getByRole('button', { name: 'How this is known' }).click();
    await expect(page.getByText('No record tells of a rename: plan.md went, and this file came and shares 98 % of its text with it.')).toBeVisible();
    await expect(page.getByText('In it ran `git mv docs/plan.md docs/roadmap.md`.')).toBeVisible();
    await expect(lines(page).locator('.dl-row[data-row="line"]')).toHaveCount(8);
    await screenshot(page, 'diff-rename');
    expect(await faults(page)).toEqual([]);
  });

  test('its patch is taken by git apply', async () => {
    const { page } = served;
    await lines(page).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as .patch', exact: true }).click();
    const patch = await (await download).path();
    const folder = temporaryFolder();
    execFileSync('git', ['init', '-q', folder.path]);
    mkdirSync(join(folder.path, 'docs'));
    writeFileSync(join(folder.path, 'docs/plan.md'), plan.join(''));
    for (const check of [['--check'], []]) execFileSync('git', ['-C', folder.path, 'apply', ...check, patch]);
    expect(readFileSync(join(folder.path, 'docs/roadmap.md'), 'utf8')).toBe(roadmap.join(''));
    folder.remove();
  });
});
