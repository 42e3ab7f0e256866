import { rmSync } from 'node:fs';
import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { claudeHome, indexed, openByTitle, type MadeHome, type Transcript } from './page-home';
import { screenshot } from './screenshot';

const transcripts: Transcript[] = ['acme', 'acme', 'ledger', 'notes'].map((project, at) => ({
  id: `0000000${at}-1111-4111-8111-111111111111`, project, at: new Date(Date.now() - at * 86_400_000).toISOString(),
  said: [{ you: `Add a retry to ${project} ${at}` }, { tool: 'Bash', input: { command: 'ls' }, output: `${'a long listing '.repeat(400)}` }, { agent: `Done with ${project}` }],
}));

async function openSettings(page: Page): Promise<void> {
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('heading', { name: 'What the library keeps' })).toBeVisible();
}

const settings = (page: Page) => page.getByRole('region', { name: 'Library settings' });
const sentence = (page: Page) => settings(page).getByRole('status').first();
const sheet = (page: Page) => page.getByRole('dialog', { name: /^Forget / });

test.describe(() => {
  test.skip(noBrowser !== undefined, noBrowser);
  let home: MadeHome;
  let served: ServedPage;
  test.beforeEach(async () => {
    home = claudeHome(transcripts);
    served = await servedPage({ home: home.home });
    await indexed(served.page);
  });
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    home.remove();
  });

  test('figures, rule, exclusion and the sheet', async () => {
    const { page } = served;
    await openSettings(page);
    expect(new URL(page.url()).hash).toBe('#/library');
    await expect(sentence(page)).toContainText('4 sessions in 4 raw streams');
    await expect(sentence(page)).toContainText('the source of all of them is there');
    const projects = page.getByRole('region', { name: 'By project', exact: true });
    await expect(projects.getByRole('row', { name: /acme/ })).toContainText(/\/home\/dev\/acme2\s*0/);
    await expect(page.getByRole('region', { name: 'By agent', exact: true }).getByRole('row', { name: /Claude Code/ })).toContainText(/Claude Code4\s*0/);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-settings');

    await projects.getByRole('button', { name: 'Exclude acme' }).click();
    const excluded = page.getByRole('region', { name: 'Excluded' });
    await expect(excluded.getByRole('listitem')).toContainText('acme project/home/dev/acmesince');
    await expect(excluded.getByRole('listitem')).toContainText('2 sessions kept');
    await expect(page.getByTestId('library').getByText('acme', { exact: true })).toHaveCount(0);
    await expect(sentence(page)).toContainText('2 are excluded and in no list.');
    await excluded.getByRole('button', { name: 'Forget… acme' }).click();
    await expect(sheet(page)).toContainText('2 sessions and 2 raw streams go out of the library. Nothing of a store is touched.');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-forget');
    // A second press is asked for; nothing goes by one.
    await sheet(page).getByRole('button', { name: 'Forget 2 sessions…' }).click();
    await sheet(page).getByRole('button', { name: 'Yes, forget 2 sessions' }).click();
    await expect(sheet(page)).toHaveCount(0);
    await expect(sentence(page)).toContainText('2 sessions in 2 raw streams');
    await excluded.scrollIntoViewIfNeeded();
    await expect(excluded.getByRole('listitem')).toContainText('the library has nothing of it');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-excluded');
    await excluded.getByRole('button', { name: 'Include acme' }).click();
    await expect(sentence(page)).toContainText('4 sessions in 4 raw streams', { timeout: 15_000 });
  });

  test('the rule shows what would be due before it is set', async () => {
    const { page } = served;
    await openSettings(page);
    const rule = page.getByRole('region', { name: 'How long' });
    await rule.getByRole('radio', { name: /days/ }).click();
    await expect(rule.getByRole('status')).toHaveText('With this rule no session is due now. Nothing goes before you say so.');
    await rule.getByRole('textbox', { name: 'Days' }).fill('0');
    await expect(rule.getByRole('alert')).toHaveText('Write a number of days from 1 to 99999.');
    await expect(rule.getByRole('button', { name: 'Set the rule' })).toBeDisabled();
    await rule.getByRole('textbox', { name: 'Days' }).fill('30');
    await page.keyboard.press('Enter');
    await expect(rule.getByRole('status')).toHaveText('No session is due now. Due sessions stay until they are dropped here.');
    await screenshot(page, 'page-library-rule');
    await page.reload();
    await expect(rule.getByRole('textbox', { name: 'Days' })).toHaveValue('30');
    await page.keyboard.press('Escape');
    await expect(settings(page)).toHaveCount(0);
  });

  test('a session that only the library has is forgotten when one writes so, and compacted away', async () => {
    const { page } = served;
    const [gone] = transcripts as [Transcript];
    // Open, so that it is known to have been read.
    await openByTitle(page, 'Add a retry to acme 0');
    rmSync(home.fileOf(gone));
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('Bring the library');
    await page.getByRole('option', { name: 'Bring the library up to date' }).first().click();
    // The inspector offers it beside the word; so does the palette.
    await expect(page.getByRole('button', { name: 'Forget…' })).toBeVisible({ timeout: 15_000 });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Commands' }).fill('Forget this session');
    await page.getByRole('option', { name: 'Forget this session from the library' }).first().click();
    await expect(sheet(page)).toContainText('Only the library has this session: nothing will be left.');
    const button = sheet(page).getByRole('button', { name: 'Forget 1 session' });
    await expect(button).toBeDisabled();
    await sheet(page).getByRole('textbox').fill('forget');
    await screenshot(page, 'page-library-forget-gone');
    await page.keyboard.press('Enter');
    await expect(sheet(page)).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'Choose a session' })).toBeVisible();
    await openSettings(page);
    await expect(sentence(page)).toContainText('3 sessions in 3 raw streams');
    const compacting = page.getByRole('region', { name: 'Compact' });
    await compacting.getByRole('button', { name: 'Compact the library' }).click();
    await expect(page.getByText(/^Compacted: .* → .*\.$/)).toBeVisible();
    await expect(compacting).toContainText('No page of the file is free.');
  });

  test('Keep leaves everything as it is', async () => {
    const { page } = served;
    await openSettings(page);
    await page.getByRole('region', { name: 'By project', exact: true }).getByRole('button', { name: 'Exclude notes' }).click();
    const excluded = page.getByRole('region', { name: 'Excluded' });
    await excluded.getByRole('button', { name: 'Forget… notes' }).click();
    await sheet(page).getByRole('button', { name: 'Keep' }).click();
    await expect(sheet(page)).toHaveCount(0);
    await expect(excluded.getByRole('listitem')).toContainText('1 session kept');
  });
});

test('an empty library says so', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const home = claudeHome([]);
  const { page, close } = await servedPage({ home: home.home });
  try {
    await openSettings(page);
    await expect(sentence(page)).toHaveText('Nothing yet: no session was read on this machine.');
    await expect(page.getByRole('region', { name: 'By project', exact: true })).toContainText('The library has nothing yet.');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-empty');
  } finally {
    await close();
    home.remove();
  }
});
