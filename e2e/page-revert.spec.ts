import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { faults } from './faults';
import { type Fixture, openFixture, recordedHome } from './fixtures';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { indexed, openByTitle } from './page-home';
import { screenshot } from './screenshot';

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Going back: a preview' });
const files = (page: Page) => sheet(page).getByRole('option');
const part = (page: Page, text: string) => page.locator('.part', { hasText: text }).first();

let fixture: Fixture;
let served: ServedPage;

const rewound = 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5';
const pending = 'opencode/ses_e3b6b944effeLb54R5shbyxppF';
/** Prompts, by their turns. */
const prompts = { first: '9389920d-9458-4aa7-9590-40ecc39fb147', welcome: 'b337a1ea-c572-4ee3-a024-ba021e86932e' };

/** A session opened at a part, with its recorded folders looked for in the fixture. */
async function open(family: 'claude-code' | 'opencode', name: string, session: string, at: string, change?: (home: string) => void): Promise<void> {
  fixture = openFixture(family, name);
  change?.(fixture.home);
  served = await servedPage({ home: fixture.home, args: ['--map', `${recordedHome}=${fixture.home}`] });
  const { page } = served;
  await indexed(page);
  const address = `#/session/${encodeURIComponent(session)}/part/${encodeURIComponent(`${session}#${at}`)}`;
  // The library may list a session a moment before its parts are read: then it is opened anew.
  await expect(async () => {
    await page.evaluate(() => (location.hash = '#/'));
    await page.evaluate((hash) => (location.hash = hash), address);
    await page.locator('.part[data-current]').waitFor({ timeout: 5_000 });
  }).toPass();
}

test.describe('going back', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    fixture.dispose();
  });

  test('u previews it for the chosen part: files, their difference, and the ways back', async () => {
    await open('claude-code', 'rewind', rewound, prompts.welcome);
    const { page } = served;
    await page.keyboard.press('u');
    await expect(sheet(page).getByText('Before turn 7: Please rename greet to welcome')).toBeVisible();
    await expect(sheet(page).getByText('Nothing is written by looking. A plan shows what would be, and waits for you.', { exact: true })).toBeVisible();
    await expect(files(page)).toHaveText([/app\.js.*restorable/, /greet\.js.*restorable/]);
    await expect(sheet(page).getByRole('region', { name: 'Changed lines' })).toContainText('import { greet }');
    await expect(sheet(page).getByText('Restore code and conversation')).toBeVisible();
    await expect(sheet(page).getByText('2 turns with 7 messages would be taken back.', { exact: false }).first()).toBeVisible();
    await expect(files(page).first()).toBeFocused();
    await page.keyboard.press('j');
    await expect(files(page).nth(1)).toHaveAttribute('aria-selected', 'true');
    await expect(sheet(page).getByRole('region', { name: 'Changed lines' })).toContainText('toUpperCase');
    expect(await faults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toBeHidden();
    await expect(part(page, 'Please rename greet to welcome')).toBeVisible();
  });

  test('it is in the palette', async () => {
    await open('claude-code', 'rewind', rewound, prompts.first);
    const { page } = served;
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Preview going back');
    await page.keyboard.press('Enter');
    await expect(files(page)).toHaveText([/greet\.js.*would be deleted/, /app\.js.*as it was/]);
  });

  test('a conflict has three versions and a merge', async () => {
    await open('claude-code', 'rewind', rewound, prompts.welcome, (home) => {
      writeFileSync(join(home, 'projects/demo/greet.js'), 'export function greet(name) {\n  return "good morning " + name;\n}\n\nexport const mine = true;\n');
    });
    const { page } = served;
    await page.keyboard.press('u');
    await expect(files(page)).toHaveText([/greet\.js.*conflict/, /app\.js.*restorable/]);
    await expect(sheet(page).getByRole('region', { name: 'On the disk now' })).toContainText('good morning');
    await expect(sheet(page).getByRole('region', { name: 'As the session left it' })).toContainText('hello');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'revert-conflict');
    await sheet(page).getByRole('tab', { name: 'Merged' }).click();
    await expect(sheet(page).getByRole('group', { name: 'Changed by both' })).toBeVisible();
    await screenshot(page, 'revert-merge');
    await page.setViewportSize({ width: 1024, height: 700 });
    await sheet(page).getByRole('tab', { name: 'Agent’s way' }).click();
    await screenshot(page, 'revert-small');
  });

  test('a pending revert is shown as such, with its own diff', async () => {
    await open('opencode', 'v118-revert', pending, 'msg_1c4946c32001m0t94E6OK0utAe');
    const { page } = served;
    await page.keyboard.press('u');
    await expect(sheet(page).getByText('A revert is pending')).toBeVisible();
    await sheet(page).getByText('Its own diff').click();
    await expect(sheet(page).getByText('Shows tides as bars.')).toBeVisible();
    await expect(files(page)).toHaveText([/data\/ports\.csv.*restorable/, /src\/tide\.py.*restorable/]);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'revert-pending');
  });

  test('without the folder every file says why it cannot', async () => {
    fixture = openFixture('claude-code', 'rewind');
    served = await servedPage({ home: fixture.home });
    const { page } = served;
    await indexed(page);
    await openByTitle(page, 'Please add a greeting module');
    await part(page, 'Please add a greeting module').click();
    await page.keyboard.press('u');
    await expect(files(page)).toHaveText([/app\.js.*cannot/, /greet\.js.*cannot/]);
    await expect(sheet(page).getByText('The folder is not looked at')).toBeVisible();
    await screenshot(page, 'revert-no-folder');
    expect(await faults(page)).toEqual([]);
  });
});
