import { readFileSync } from 'node:fs';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { faults } from './faults';
import { noBrowser, servedPage } from './launch';
import { claudeHome, indexed, openByTitle, type Transcript } from './page-home';
import { screenshot } from './screenshot';

const browserOf = (page: Page): Browser => {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page has a browser');
  return browser;
};

const github = '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';

const transcript: Transcript = {
  id: '22222222-2222-4222-8222-222222222222', project: 'acme', at: '2026-03-01T12:00:00Z',
  said: [
    { you: 'Deploy the acme service' },
    { agent: 'I read `deploy.sh` first.\n\n* it needs a token\n* it writes to maria.k@firm.co' },
    { tool: 'Bash', input: { command: 'cat deploy.sh' }, output: `export TOKEN=${github}\ncd /home/dev/acme && ./go <script>alert(1)</script>` },
    { you: 'Use another token' },
    { agent: 'Done.' },
  ],
};

test('a session is looked through, a value kept, and downloaded masked', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const made = claudeHome([transcript]);
  const { page, complaints, close } = await servedPage({ home: made.home });
  try {
    await indexed(page);
    await openByTitle(page, /Deploy the acme/);
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog', { name: /Export/ });
    await expect(dialog.getByText('1 secret in 1 place', { exact: true })).toBeVisible();
    await expect(dialog.getByLabel('Beginning of the file')).toContainText('# Deploy the acme service');
    await expect(dialog.getByLabel('Beginning of the file')).toContainText('[secret 1: GitHub token]');
    await expect(dialog.getByLabel('Beginning of the file')).not.toContainText(github);
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'export');
    await dialog.getByRole('button', { name: /^Keep mail address/ }).click();
    await expect(dialog.getByText('maria.k@firm.co stays', { exact: false })).toBeVisible();
    await dialog.getByRole('radio', { name: 'Web page' }).check();
    await expect(dialog.getByLabel('Beginning of the file')).toContainText('<!doctype html>');
    const downloaded = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe('deploy-the-acme-service.html');
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toContain('maria.k@firm.co');
    expect(text).not.toContain(github);
    expect(text).not.toContain('/home/dev');
    await expect(dialog.getByText('Masked: 1 secret')).toBeVisible();
    // What was fetched is not there any more.
    expect((await page.request.get(download.url())).status()).toBe(404);

    // The file opens without a script, and nothing in it runs or loads.
    const context = await browserOf(page).newContext({ javaScriptEnabled: true, offline: true });
    const shown = await context.newPage();
    const asked: string[] = [];
    shown.on('request', (request) => asked.push(request.url()));
    await shown.setContent(text);
    await expect(shown.getByRole('heading', { level: 1 })).toHaveText('Deploy the acme service');
    await shown.getByText('Bash · cat deploy.sh').click();
    await expect(shown.getByText('<script>alert(1)</script>', { exact: false })).toBeVisible();
    await shown.screenshot({ path: 'test-results/export-page.png', fullPage: true });
    expect(asked).toEqual([]);
    expect(await shown.locator('script').count()).toBe(0);
    await context.close();
    expect(complaints).toEqual([]);
  } finally {
    await close();
    made.remove();
  }
});

test('only some turns, and turns that are not there', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const made = claudeHome([transcript]);
  const { page, close } = await servedPage({ home: made.home });
  try {
    await indexed(page);
    await openByTitle(page, /Deploy the acme/);
    await page.getByRole('button', { name: 'Export the session' }).click();
    const dialog = page.getByRole('dialog', { name: /Export/ });
    await dialog.getByRole('radio', { name: /Turns/ }).check();
    await dialog.getByLabel('Last turn').fill('9');
    await expect(dialog.getByRole('alert')).toHaveText('There are no turns 1 to 9: this session has 1 to 2.');
    await screenshot(page, 'export-refused');
    await dialog.getByLabel('Last turn').fill('2');
    await dialog.getByLabel('First turn').fill('2');
    await expect(dialog.getByLabel('Beginning of the file')).toContainText('Turn 2 only.');
    await expect(dialog.getByLabel('Beginning of the file')).not.toContainText('I read deploy.sh first');
    await page.setViewportSize({ width: 1024, height: 700 });
    await screenshot(page, 'export-narrow');
  } finally {
    await close();
    made.remove();
  }
});
