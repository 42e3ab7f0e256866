import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { type Fixture, openFixture } from './fixtures';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { claudeHome, indexed } from './page-home';
import { screenshot } from './screenshot';

async function openDoctor(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill('doctor');
  await page.getByRole('option', { name: 'Doctor: what was read and what was not' }).click();
  await expect(page.getByRole('heading', { name: 'What was read and what was not' })).toBeVisible();
}

const outcome = (page: Page) => page.getByRole('region', { name: 'Doctor' }).getByRole('status');

test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  let fixture: Fixture;
  let served: ServedPage;
  test.beforeEach(async () => {
    fixture = openFixture('field', 'cc-nul-run');
    // A second store that cannot be read as a whole.
    const opencode = join(fixture.home, '.local/share/opencode');
    mkdirSync(opencode, { recursive: true });
    writeFileSync(join(opencode, 'opencode.db'), 'this is no database\n'.repeat(500));
    served = await servedPage({ home: fixture.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    fixture.dispose();
  });

  test('damaged places and stores with a problem are named by place and reason', async () => {
    const { page } = served;
    await openDoctor(page);
    expect(new URL(page.url()).hash).toBe('#/doctor');
    await expect(outcome(page)).toHaveText('6 records of 2 stores were read. 1 store has a problem; 2 places could not be read as they stand.');
    const claude = page.getByRole('region', { name: /^Claude Code/ });
    await expect(claude.getByRole('row').nth(1)).toHaveText('projects/-home-dev-projects-ledger/e88b7591-31db-4e32-98dc-b35f94c662cd.jsonl41,600420 BNUL bytes, no record');
    await expect(claude).toContainText('1 session; read 6 records of 1 source, 4 kB');
    await expect(claude).toContainText('The agent deletes transcripts 30 days after their last change (its default)');
    await expect(page.getByRole('region', { name: /^OpenCode/ }).getByRole('note')).toContainText('opencode.db');
    await expect(page.getByRole('region', { name: 'Not found' })).toContainText('/.codex');
    await claude.getByText('Sizes by record type').click();
    await expect(claude.getByRole('row', { name: /^assistant/ })).toHaveText('assistant32.2 kB');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-doctor');
  });

  test('the hint of the library leads to it, a place leads to its session, and Escape leads back', async () => {
    const { page } = served;
    await page.getByTestId('library').getByRole('button', { name: '1 store with a problem' }).click();
    await page.getByRole('button', { name: /e88b7591/ }).click();
    await expect(page.getByText('1 place of this session could not be read')).toBeVisible();
    await openDoctor(page);
    await page.keyboard.press('Escape');
    await expect(page.getByText('1 place of this session could not be read')).toBeVisible();
    await page.goBack();
    await expect(outcome(page)).toBeVisible();
  });
});

test('a home in order says so', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const home = claudeHome([{ id: '00000001-1111-4111-8111-111111111111', project: 'acme', at: new Date().toISOString(), said: [{ you: 'Add a retry' }, { agent: 'Done' }] }]);
  const { page, close } = await servedPage({ home: home.home });
  try {
    await indexed(page);
    await openDoctor(page);
    await expect(outcome(page)).toHaveText('Nothing is wrong: 2 records of 1 store were read, and no place was skipped.');
    await expect(page.getByRole('region', { name: /^Claude Code/ })).toContainText('No place was skipped.');
    await expect(page.getByTestId('library').getByRole('button', { name: /damaged|problem/ })).toHaveCount(0);
    await screenshot(page, 'page-doctor-well');
  } finally {
    await close();
    home.remove();
  }
});
