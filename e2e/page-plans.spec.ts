import { cpSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { engineAnswer } from './engine-answer';
import { faults } from './faults';
import { type Fixture, openFixture, recordedHome } from './fixtures';
import { noBrowser, servedPage, type ServedPage, temporaryFolder } from './launch';
import { indexed, openByTitle } from './page-home';
import { screenshot } from './screenshot';

const sheet = (page: Page) => page.locator('.plan-sheet');
const steps = (page: Page) => sheet(page).getByRole('option');
const plans = (page: Page) => page.getByRole('listbox', { name: 'Plans' }).getByRole('option');
const journal = (page: Page) => page.getByRole('region', { name: 'Journal' });
/** The one button that does it. */
const does = (page: Page, name: string) => sheet(page).getByRole('button', { name, exact: true });

let fixture: Fixture;
let served: ServedPage;

const rewound = 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5';
const welcome = 'b337a1ea-c572-4ee3-a024-ba021e86932e';
const greet = () => join(fixture.home, 'projects/demo/greet.js');
const transcripts = () => join(fixture.home, '.claude/projects', '-home-dev-projects-demo');

/** A session opened at a part, with its recorded folders looked for in the fixture. `change` may give further arguments. */
async function open(family: 'claude-code' | 'opencode', name: string, session: string, at: string | null, change?: (home: string) => string[] | void): Promise<Page> {
  fixture = openFixture(family, name);
  const more = change?.(fixture.home) ?? [];
  served = await servedPage({ home: fixture.home, args: ['--map', `${recordedHome}=${fixture.home}`, ...more] });
  const { page } = served;
  await indexed(page);
  const part = at === null ? '' : `/part/${encodeURIComponent(`${session}#${at}`)}`;
  // The library may list a session a moment before its parts are read: then it is opened anew.
  await expect(async () => {
    await page.evaluate(() => (location.hash = '#/'));
    await page.evaluate((hash) => (location.hash = hash), `#/session/${encodeURIComponent(session)}${part}`);
    await page.locator(at === null ? '.part' : '.part[data-current]').first().waitFor({ timeout: 5_000 });
  }).toPass();
  return page;
}

// Each goes a long way: a plan is drawn, looked at and applied more than once.
test.describe.configure({ timeout: 120_000 });

test.describe('plans', () => {
  test.skip(noBrowser !== undefined, noBrowser);
  test.afterEach(async () => {
    expect(served.complaints).toEqual([]);
    await served.close();
    fixture.dispose();
  });

  test('f forks before the chosen message: the plan is shown, applied, opened, and taken back from the journal', async () => {
    const page = await open('claude-code', 'rewind', rewound, welcome);
    const before = readdirSync(transcripts()).sort();
    await page.keyboard.press('f');
    await expect(sheet(page).getByRole('heading', { level: 2 })).toContainText('before turn 7');
    await expect(steps(page).first()).toContainText('is made');
    await expect(sheet(page).getByText('What was checked')).toBeVisible();
    expect(readdirSync(transcripts()).sort()).toEqual(before);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-fork');
    await sheet(page).getByLabel('Title of the fork').fill('Another greeting');
    await expect(does(page, 'Fork')).toBeEnabled();
    await does(page, 'Fork').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    await expect(does(page, 'Open')).toBeFocused();
    await expect(sheet(page).getByText('Only the desktop window opens a terminal', { exact: false })).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-result');
    const made = readdirSync(transcripts()).filter((name) => !before.includes(name) && name.endsWith('.jsonl'));
    expect(made).toHaveLength(1);
    await does(page, 'Open').click();
    await expect(page.getByRole('heading', { level: 1, name: 'Another greeting' })).toBeVisible();
    await page.keyboard.press('h');
    await expect(plans(page)).toHaveCount(1);
    await expect(plans(page).first()).toBeFocused();
    await expect(journal(page).getByRole('option', { name: /Please add a greeting module.*Fork before turn 7.*applied/ })).toBeVisible();
    await expect(journal(page).getByRole('listbox', { name: 'What was written' })).toContainText('.jsonl');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-journal');
    await journal(page).getByRole('button', { name: 'Undo…' }).click();
    await expect(does(page, 'Undo')).toBeEnabled();
    await screenshot(page, 'plans-undo');
    await does(page, 'Undo').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    await page.keyboard.press('Escape');
    expect(readdirSync(transcripts()).sort()).toEqual(before);
    await expect(plans(page).nth(1)).toContainText('taken back');
  });

  test('a revert with a conflict waits for a choice, and takes back files and conversation', async () => {
    const page = await open('claude-code', 'rewind', rewound, welcome, (home) => {
      writeFileSync(join(home, 'projects/demo/greet.js'), 'export function greet(name) {\n  return "good morning " + name;\n}\n\nexport const mine = true;\n');
    });
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Make a plan…' }).click();
    await expect(sheet(page).getByText('wait for a choice', { exact: false })).toBeVisible();
    await expect(steps(page).first()).toHaveText(/greet\.js.*conflict: choose/);
    await expect(sheet(page).getByRole('region', { name: 'On the disk now' })).toContainText('good morning');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-conflict');
    await page.setViewportSize({ width: 1024, height: 700 });
    await sheet(page).getByRole('radio', { name: /^Merge/ }).check();
    await expect(sheet(page).getByRole('radio', { name: /^Merge/ })).toBeChecked();
    await expect(steps(page).filter({ hasText: 'greet.js' }).filter({ hasText: 'is changed' })).toBeVisible();
    await steps(page).filter({ hasText: 'greet.js' }).filter({ hasText: 'is changed' }).click();
    await expect(sheet(page).getByRole('region', { name: 'Changed lines' })).toContainText('<<<<<<<');
    await screenshot(page, 'plans-merge');
    await page.setViewportSize({ width: 1440, height: 900 });
    await sheet(page).getByRole('radio', { name: 'Files', exact: true }).check();
    await expect(does(page, 'Take back 2 files')).toBeEnabled();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-files');
    await does(page, 'Take back 2 files').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readFileSync(greet(), 'utf8')).toContain('<<<<<<<');
    await does(page, 'Undo').click();
    await expect(does(page, 'Undo')).toBeEnabled();
    await does(page, 'Undo').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readFileSync(greet(), 'utf8')).toBe('export function greet(name) {\n  return "good morning " + name;\n}\n\nexport const mine = true;\n');
  });

  test('an apply is cancelled before the first change; what changed since the plan is not written over, and a new plan is offered', async () => {
    const page = await open('claude-code', 'rewind', rewound, welcome);
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('Take back to before');
    await page.keyboard.press('Enter');
    const transcript = join(transcripts(), '668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl');
    const kept = readFileSync(transcript, 'utf8');
    await sheet(page).getByRole('radio', { name: 'Conversation', exact: true }).check();
    await expect(does(page, 'Take the conversation back')).toBeEnabled();
    // A transcript that was written to a moment ago is watched longer before anything is done.
    utimesSync(transcript, new Date(), new Date());
    await does(page, 'Take the conversation back').click();
    await does(page, 'Cancel').click();
    await expect(sheet(page).getByText('It was cancelled before the first change.')).toBeVisible();
    expect(readFileSync(transcript, 'utf8')).toBe(kept);
    await screenshot(page, 'plans-cancelled');
    await sheet(page).getByRole('radio', { name: 'Files', exact: true }).check();
    await expect(does(page, 'Take back 2 files')).toBeEnabled();
    writeFileSync(greet(), 'export const mine = true;\n');
    await does(page, 'Take back 2 files').click();
    await expect(sheet(page).getByText('Not done: what is there changed since the plan was made.')).toBeVisible();
    expect(readFileSync(greet(), 'utf8')).toBe('export const mine = true;\n');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-stale');
    await does(page, 'Make a new plan').click();
    await expect(steps(page).first()).toHaveText(/greet\.js.*conflict: choose/);
  });

  test('the menu of a message has fork and revert; that of the session renames it and puts it into the trash, from where it comes back', async () => {
    const page = await open('claude-code', 'rewind', rewound, welcome);
    await page.locator('.part[data-current] .part-body').click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: /Fork before this message/ })).toBeVisible();
    await screenshot(page, 'plans-menu');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await sheet(page).getByLabel('New name').fill('The greeting');
    await expect(does(page, 'Rename')).toBeEnabled();
    await screenshot(page, 'plans-rename');
    await does(page, 'Rename').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('heading', { level: 1, name: 'The greeting' })).toBeVisible();
    await page.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Move to the trash…' }).click();
    await expect(does(page, 'Move to the trash')).toBeEnabled();
    await screenshot(page, 'plans-trash');
    await does(page, 'Move to the trash').click();
    await expect(does(page, 'Bring back')).toBeVisible();
    const file = join(transcripts(), '668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl');
    expect(existsSync(file)).toBe(false);
    await does(page, 'Show in the journal').click();
    await journal(page).getByRole('button', { name: /^Trash 1, / }).click();
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'plans-journal-trash-small');
    expect(await faults(page)).toEqual([]);
    await journal(page).getByRole('button', { name: 'Bring back…' }).click();
    await does(page, 'Bring back').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(existsSync(file)).toBe(true);
  });

  test('OpenCode’s fork is rows, told by table, from a card of the map; Aider’s takes along what commands printed or not; Codex goes back by a line', async () => {
    const page = await open('opencode', 'v118-main', 'opencode/ses_e1c4ca54fffeipXfLMeNjmVdC1', null, (home) => {
      for (const [family, name] of [['codex', 'legacy-0125'], ['aider', 'basic']] as const) {
        const other = openFixture(family, name);
        cpSync(other.home, home, { recursive: true });
        other.dispose();
      }
      return ['--add', join(home, 'proj')];
    });
    await page.keyboard.press('m');
    await page.getByRole('region', { name: 'Map' }).waitFor();
    await page.keyboard.press('f');
    await expect(sheet(page).getByRole('heading', { level: 2 })).toContainText('as it is now');
    await expect(steps(page).first()).toContainText('rows added');
    await screenshot(page, 'plans-rows');
    expect(await faults(page)).toEqual([]);
    await does(page, 'Fork').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    await does(page, 'Open').click();
    await expect(page.getByRole('heading', { level: 1, name: /\(fork #1\)$/ })).toBeVisible();

    await openByTitle(page, 'add a subtract function');
    await page.keyboard.press('f');
    const printed = sheet(page).getByRole('checkbox', { name: 'Goes along into the new history' });
    await expect(printed).toBeChecked();
    await expect(does(page, 'Fork')).toBeEnabled();
    const withIt = (await steps(page).first().textContent()) ?? '';
    await printed.uncheck();
    await expect(sheet(page).getByText('Messages of the program (commits, usage, reports of failed edits) are left out.')).toBeVisible();
    await expect(steps(page).first()).not.toHaveText(withIt);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-aider');
    await does(page, 'Fork').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    const forks = readdirSync(join(fixture.home, 'proj/calc')).filter((name) => name.endsWith('-fork.md'));
    expect(forks).toHaveLength(1);
    await page.keyboard.press('Escape');

    const thread = '01a22804-097d-77b2-93ae-f0c505c37b75';
    const folder = join(fixture.home, '.codex/sessions');
    const rollout = join(folder, readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(`${thread}.jsonl`)) ?? '');
    const before = readFileSync(rollout, 'utf8');
    await page.evaluate((hash) => (location.hash = hash), `#/session/${encodeURIComponent(`codex/${thread}`)}/part/${encodeURIComponent(`codex/${thread}#@15103`)}`);
    await expect(page.locator('.part[data-current]')).toContainText('Run something that fails');
    await page.keyboard.press('u');
    await page.getByRole('button', { name: 'Make a plan…' }).click();
    await sheet(page).getByRole('radio', { name: 'Conversation', exact: true }).check();
    await expect(does(page, 'Take the conversation back')).toBeEnabled();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-codex');
    await does(page, 'Take the conversation back').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readFileSync(rollout, 'utf8').startsWith(before)).toBe(true);
    expect(readFileSync(rollout, 'utf8').slice(before.length)).toContain('thread_rolled_back');
    await does(page, 'Undo').click();
    await expect(does(page, 'Undo')).toBeEnabled();
    await does(page, 'Undo').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readFileSync(rollout, 'utf8')).toBe(before);
  });

  test('a fork into a worktree; a folder that is there is refused, and why', async () => {
    const page = await open('claude-code', 'rewind', rewound, welcome);
    await page.keyboard.press('f');
    await expect(does(page, 'Fork')).toBeEnabled();
    await sheet(page).getByRole('checkbox', { name: /In a new git worktree/ }).check();
    await expect(steps(page).first()).toContainText('git is asked');
    await sheet(page).getByRole('textbox', { name: 'Folder' }).fill(fixture.home);
    await expect(sheet(page).getByRole('alert')).toContainText('is there already');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-refused');
    const folder = join(fixture.home, 'projects/as-it-was');
    await sheet(page).getByRole('textbox', { name: 'Folder' }).fill(folder);
    await sheet(page).getByLabel('Git branch').fill('as-it-was');
    await expect(does(page, 'Fork into the worktree')).toBeEnabled();
    await screenshot(page, 'plans-worktree');
    await does(page, 'Fork into the worktree').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readdirSync(folder).sort()).toEqual(['.git', 'README.md', 'app.js', 'greet.js', 'util.js']);
    await page.keyboard.press('Escape');
    await expect(sheet(page)).toBeHidden();
  });

  test('a write that was interrupted is told at the next start, and goes back', async () => {
    const data = temporaryFolder();
    fixture = openFixture('claude-code', 'rewind');
    const [left, place] = [readFileSync(greet(), 'utf8'), { home: fixture.home, data: data.path, args: ['--map', `${recordedHome}=${fixture.home}`] }];
    // The engine ends itself when the first of two files has its new content.
    process.env['RETRACE_PLAN_HOOK'] = 'renamed:1';
    const dying = await servedPage(place);
    delete process.env['RETRACE_PLAN_HOOK'];
    await indexed(dying.page);
    const drawn = () => engineAnswer(dying.page, 'plan.revert', { session: rewound, before: `${rewound}#${welcome}`, scope: 'files' });
    // The list may stand before the session was read.
    await expect.poll(async () => 'steps' in ((await drawn()) ?? {})).toBe(true);
    const plan = await drawn();
    if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no session');
    await engineAnswer(dying.page, 'plan.apply', { plan: plan.id }).catch(() => undefined);
    await expect.poll(() => dying.server.process.exitCode ?? dying.server.process.signalCode).not.toBeNull();
    await dying.page.context().close();
    expect(readFileSync(greet(), 'utf8')).not.toBe(left);

    served = await servedPage(place);
    const { page } = served;
    await expect(page.getByRole('alert').getByText('A write was interrupted and is half done', { exact: false })).toBeVisible();
    await screenshot(page, 'plans-notice');
    await page.getByRole('button', { name: 'Look at it' }).click();
    await expect(journal(page).getByText('1 of 2 steps is done', { exact: false }).or(journal(page).getByText('1 of 2 steps are done', { exact: false }))).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-interrupted');
    await journal(page).getByRole('button', { name: 'Go back…' }).click();
    await expect(does(page, 'Undo')).toBeEnabled();
    await does(page, 'Undo').click();
    await expect(sheet(page).getByRole('heading', { name: /Done and verified/ })).toBeVisible();
    expect(readFileSync(greet(), 'utf8')).toBe(left);
    await page.keyboard.press('Escape');
    await expect(journal(page).getByRole('button', { name: 'To settle 0' })).toBeVisible();
    data.remove();
  });

  test('an empty journal says what stands in it', async () => {
    fixture = openFixture('claude-code', 'fork');
    served = await servedPage({ home: fixture.home });
    const { page } = served;
    await indexed(page);
    await page.keyboard.press('h');
    await expect(journal(page).getByText('Nothing yet.', { exact: false })).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'plans-journal-empty');
  });
});
