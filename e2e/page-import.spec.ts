import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { ShareServer } from '../electron/engine/share/link/share-server.test-support';
import { faults } from './faults';
import { type Fixture, openFixture } from './fixtures';
import { noBrowser, servedPage, type ServedPage } from './launch';
import { indexed } from './page-home';
import { screenshot } from './screenshot';

const fixtures = join(import.meta.dirname, 'fixtures/import');
const exported = join(fixtures, 'ses_e2b38726bffec1bGQpB4nw029f.json');

const sheet = (page: Page) => page.getByRole('dialog', { name: 'Import a session' });
const field = (page: Page) => sheet(page).getByRole('textbox', { name: 'Link, or path of a file' });

async function look(page: Page, from: string): Promise<void> {
  if ((await sheet(page).count()) === 0) await page.keyboard.press('Control+o');
  await field(page).fill(from);
  await page.keyboard.press('Enter');
}

/** Drops files made in the page, as a person drops them from elsewhere. */
async function drop(page: Page, files: { name: string; content: string }[], act: 'enter' | 'drop' = 'drop'): Promise<void> {
  await page.evaluate(
    ({ given, last }) => {
      const data = new DataTransfer();
      for (const { name, content } of given) data.items.add(new File([content], name));
      const fire = (type: string) => document.querySelector('main')?.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
      fire('dragenter');
      fire('dragover');
      if (last === 'drop') fire('drop');
    },
    { given: files, last: act },
  );
}

test.skip(noBrowser !== undefined, noBrowser);
let fixture: Fixture;
let served: ServedPage;
let server: ShareServer;
test.beforeEach(async () => {
  fixture = openFixture('opencode', 'v118-share-import');
  server = await ShareServer.start();
  served = await servedPage({ home: fixture.home });
  await indexed(served.page);
});
test.afterEach(async () => {
  expect(served.complaints).toEqual([]);
  await served.close();
  await server.close();
  fixture.dispose();
});

test('a file is looked at, taken in, opened, and taken back', async () => {
  // Eight plans are drawn on the way.
  test.slow();
  const { page } = served;
  await page.keyboard.press('Control+o');
  await expect(field(page)).toBeFocused();
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-asking');
  await look(page, exported);
  await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
  await expect(sheet(page)).toContainText('5: 2 prompts, 3 replies, 1 tool call');
  await expect(sheet(page).getByRole('region', { name: 'What would be written' })).toContainText('bundle.retrace.jsonl');
  const button = sheet(page).getByRole('button', { name: 'Import', exact: true });
  await expect(button).toBeFocused();
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-preview');
  await page.keyboard.press('Enter');
  await expect(sheet(page).getByRole('status')).toHaveText('Done: Import "Leek soup recipe" of OpenCode');
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-done');
  await expect(sheet(page).getByRole('button', { name: 'Open', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Leek soup recipe' })).toBeVisible();
  const facts = page.getByRole('region', { name: 'Inspector' });
  await expect(facts).toContainText('Transcript of');
  await expect(facts).toContainText('opencode export');
  await expect(page.getByRole('main')).toContainText('imported from OpenCode');
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-open');
  // It goes on in the store of its agent, by a plan.
  await page.getByRole('main').getByRole('button', { name: 'Continue in OpenCode' }).click();
  await expect(page.getByRole('dialog', { name: /^Continue "Leek soup recipe" in OpenCode/ })).toBeVisible();
  // Into the database that OpenCode reads.
  await expect(page.getByRole('dialog', { name: /^Continue/ })).toContainText('New rows in OpenCode’s database');
  await screenshot(page, 'page-import-continue');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'The same session in the store of OpenCode' }).click();
  await page.getByRole('button', { name: 'The import of this session' }).click();
  await expect(page.getByRole('main')).toContainText('imported from OpenCode');

  // The same again is told, and leads to what is here.
  await look(page, exported);
  await expect(sheet(page).getByRole('alert')).toContainText('It is in the library already, with the same content');
  await sheet(page).getByRole('button', { name: 'Open the session that is here' }).click();
  await expect(sheet(page)).toHaveCount(0);
  // Another state of it is an update.
  await look(page, join(fixtures, 'renamed.json'));
  await expect(sheet(page).getByRole('note').first()).toContainText('It was imported before, in another state.');
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-update');
  await sheet(page).getByRole('button', { name: 'Update the import' }).click();
  await sheet(page).getByRole('button', { name: 'Undo…' }).click();
  await expect(sheet(page).getByRole('heading', { name: 'Take the import back?' })).toBeVisible();
  await screenshot(page, 'page-import-undo');
  await sheet(page).getByRole('button', { name: 'Take it back' }).click();
  await expect(sheet(page).getByRole('status')).toHaveText('The import was taken back');
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(sheet(page)).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Leek soup recipe' })).toBeVisible();
});

test('an import of its own that is undone is in no list any more', async () => {
  const { page } = served;
  const tree = page.getByTestId('library');
  await look(page, join(fixtures, 'new-id-same-messages.json'));
  await sheet(page).getByRole('button', { name: 'Import', exact: true }).click();
  await expect(sheet(page).getByRole('button', { name: 'Undo…' })).toBeVisible();
  await sheet(page).getByRole('button', { name: 'Undo…' }).click();
  await sheet(page).getByRole('button', { name: 'Keep it' }).click();
  await page.keyboard.press('Escape');
  const imported = tree.getByRole('treeitem', { name: /Imported, a transcript of OpenCode/ });
  await expect(imported).toHaveCount(1);
  // Imports are filtered like an agent.
  await page.getByRole('button', { name: /^Agents: / }).click();
  await page.getByRole('menuitemcheckbox', { name: /Retrace/ }).click();
  await page.keyboard.press('Escape');
  await expect(tree.getByRole('treeitem')).toHaveCount(2);
  await screenshot(page, 'page-import-filter');
  await look(page, join(fixtures, 'new-id-same-messages.json'));
  await sheet(page).getByRole('button', { name: 'Open the session that is here' }).click();
  // Under the name it has in the journal it is taken back, and gone from the lists.
  await look(page, join(fixtures, 'noisy.json'));
  await sheet(page).getByRole('button', { name: /^(Import|Update the import)$/ }).click();
  await sheet(page).getByRole('button', { name: 'Undo…' }).click();
  await sheet(page).getByRole('button', { name: 'Take it back' }).click();
  await expect(sheet(page).getByRole('status')).toHaveText('The import was taken back');
  await page.keyboard.press('Escape');
  await expect(imported).toHaveCount(1);
});

test('a share is fetched from a host one agrees to, with its faults said', async () => {
  const { page } = served;
  const items = JSON.parse(readFileSync(join(fixtures, 'share-data.json'), 'utf8')) as unknown[];
  const host = server.base.slice('http://'.length);
  await look(page, server.shares('mYk3pQ2x', items));
  await expect(sheet(page).getByRole('alert')).toContainText(`${host} is not a share server that Retrace knows.`);
  expect(server.asked).toEqual([]);
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-host');
  await sheet(page).getByRole('button', { name: `Fetch it from ${host}` }).click();
  await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
  await expect(sheet(page)).toContainText('share link');
  await sheet(page).getByRole('button', { name: 'Back' }).click();
  await expect(field(page)).toHaveValue(`${server.base}/share/mYk3pQ2x`);

  // A server that stands still is left alone.
  server.on('/api/share/slow/data', (_request, response) => void response.writeHead(200).write('['));
  await look(page, `${server.base}/share/slow`);
  await sheet(page).getByRole('button', { name: /^Fetch it from/ }).click();
  await expect(sheet(page).getByRole('button', { name: 'Cancel' })).toBeFocused();
  await screenshot(page, 'page-import-looking');
  await page.keyboard.press('Enter');
  await expect(field(page)).toBeEnabled();

  await look(page, `${server.base}/share/none`);
  await sheet(page).getByRole('button', { name: /^Fetch it from/ }).click();
  await expect(sheet(page).getByRole('alert')).toContainText('404: the share was removed or never existed.');
  await sheet(page).getByRole('button', { name: 'Back' }).click();

  // One's own server is asked without a question.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+,');
  const servers = page.getByRole('region', { name: 'Share servers' });
  await servers.getByRole('textbox').fill('http://share.example.org');
  await page.keyboard.press('Enter');
  await expect(servers.getByRole('alert')).toHaveText('Only https, or http on this machine itself (127.0.0.1, localhost).');
  await servers.getByRole('textbox').fill(server.base);
  await page.keyboard.press('Enter');
  await expect(servers.getByRole('listitem')).toContainText(server.base);
  await servers.scrollIntoViewIfNeeded();
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-servers');
  await look(page, `${server.base}/share/mYk3pQ2x`);
  await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
  await page.keyboard.press('Escape');
  await servers.getByRole('button', { name: 'Remove' }).click();
  await expect(servers.getByRole('listitem')).toHaveCount(0);
});

test('a file is dropped on the window, sent up, and salvaged when it was cut', async () => {
  const { page } = served;
  await drop(page, [{ name: 'cut.json', content: '' }], 'enter');
  await expect(page.getByText('Drop the file to import it')).toBeVisible();
  await screenshot(page, 'page-import-drop');
  await drop(page, [{ name: '../../cut.json', content: readFileSync(join(fixtures, 'cut.json'), 'utf8') }]);
  await expect(page.getByText('Drop the file to import it')).toHaveCount(0);
  await expect(sheet(page).getByRole('alert')).toContainText('The export was cut off at 65536 bytes');
  await sheet(page).getByRole('button', { name: 'Take in the 2 messages that are whole' }).click();
  await expect(sheet(page).getByRole('list', { name: 'Notes' })).toContainText('the 2 whole messages before that were taken in');
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-notes');
  // Of two files none is taken by chance.
  await drop(page, [{ name: 'a.json', content: '{}' }, { name: 'b.json', content: '{}' }]);
  await expect(sheet(page).getByRole('alert')).toContainText('2 files at once: give one.');
  await drop(page, [{ name: 'notes.md', content: readFileSync(join(fixtures, 'notes.md'), 'utf8') }]);
  await expect(sheet(page).getByRole('alert')).toContainText('A Markdown transcript, not session data');
  // Larger than one piece.
  await drop(page, [{ name: 'large.json', content: readFileSync(exported, 'utf8') + ' '.repeat(2_500_000) }]);
  await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
  await expect(sheet(page)).toContainText('large.json');
  await page.keyboard.press('Escape');
  // The same through the system's own dialog.
  await page.keyboard.press('Control+o');
  await sheet(page).locator('input[type=file]').setInputFiles(exported);
  await expect(sheet(page).getByRole('heading', { name: /Leek soup recipe/ })).toBeVisible();
});

test('a link asks first, and leads to the web only', async () => {
  const { page } = served;
  const link = server.shares('mYk3pQ2x', JSON.parse(readFileSync(join(fixtures, 'share-data.json'), 'utf8')) as unknown[]);
  const before = await page.evaluate(() => location.hash);
  const follow = (url: string) => page.evaluate((to) => void (location.hash = `#/import?url=${encodeURIComponent(to)}`), url);
  await follow(link);
  await expect(sheet(page).getByRole('note')).toContainText('A link asks to import this');
  await expect(sheet(page).getByRole('note')).toContainText('Nothing was fetched yet.');
  expect(server.asked).toEqual([]);
  expect(await page.evaluate(() => location.hash)).toBe(before === '' ? '#/' : before);
  expect(await faults(page)).toEqual([]);
  await screenshot(page, 'page-import-link');
  // Enter does nothing by chance.
  await page.keyboard.press('Enter');
  expect(server.asked).toEqual([]);
  await sheet(page).getByRole('button', { name: 'Fetch and look' }).click();
  await expect(sheet(page).getByRole('alert')).toContainText('is not a share server that Retrace knows');
  await follow('file:///etc/passwd');
  await expect(sheet(page).getByRole('alert')).toContainText('Only shared links are imported by a link.');
  await page.keyboard.press('Escape');
  // A link of ours that was pasted means what it leads to.
  await look(page, `retrace://import?url=${encodeURIComponent(link)}`);
  await expect(sheet(page).getByRole('alert')).toContainText('is not a share server that Retrace knows');
});

test('a hostile export is drawn as text, before and after it is taken in', async () => {
  const { page } = served;
  const foreign: string[] = [];
  const origin = new URL(page.url()).origin;
  page.on('request', (request) => void (request.url().startsWith(origin) || foreign.push(request.url())));
  page.on('dialog', (dialog) => {
    foreign.push(dialog.message());
    void dialog.dismiss();
  });
  const hostile = '<img src=x onerror="window.broken = 1"> <script>window.broken = 1</script> [link](javascript:window.broken=1) ![far](https://evil.example/p.png) \u202Ecod.exe';
  const info = { id: 'ses_hostile', title: hostile, directory: `/home/dev/${hostile}`, time: { created: 1_700_000_000_000, updated: 1_700_000_000_000 } };
  const said = (id: string, role: string, text: string) => ({ info: { id, role, sessionID: info.id, time: { created: 1_700_000_000_000 }, modelID: hostile, providerID: 'x' }, parts: [{ id: `prt_${id}`, messageID: id, sessionID: info.id, type: 'text', text }] });
  await drop(page, [{ name: '<img src=x onerror=alert(1)>.json', content: JSON.stringify({ info, messages: [said('msg_1', 'user', hostile), said('msg_2', 'assistant', hostile)] }) }]);
  await expect(sheet(page).getByRole('heading', { name: /onerror/ })).toContainText('⟨U+202E⟩');
  await expect(sheet(page).locator('img, script')).toHaveCount(0);
  await screenshot(page, 'page-import-hostile');
  await sheet(page).getByRole('button', { name: 'Import', exact: true }).click();
  await sheet(page).getByRole('button', { name: 'Open', exact: true }).click();
  const timeline = page.getByRole('feed');
  await expect(timeline).toContainText('window.broken');
  await expect(timeline.locator('script, iframe, img')).toHaveCount(0);
  await expect(timeline.locator('a[href^="javascript"]')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Inspector' }).locator('img, script')).toHaveCount(0);
  expect(await page.evaluate(() => (window as unknown as { broken?: number }).broken)).toBeUndefined();
  expect(foreign).toEqual([]);
});
