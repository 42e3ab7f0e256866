import { expect, test } from '@playwright/test';
import { faults } from './faults';
import { noBrowser, servedPage } from './launch';
import { claudeHome, indexed } from './page-home';
import { screenshot } from './screenshot';

/** The engine's words for the page, changed on their way: what takes a large library or a full disk to be seen. */
test('a compaction that runs, one that has no room, and an answer that does not come', async () => {
  test.skip(noBrowser !== undefined, noBrowser);
  const home = claudeHome([{ id: '00000001-1111-4111-8111-111111111111', project: 'acme', at: new Date().toISOString(), said: [{ you: 'Add a retry' }, { agent: 'Done' }] }]);
  const { page, close } = await servedPage({ home: home.home });
  try {
    await indexed(page);
    let compaction: object | null = {};
    await page.routeWebSocket(/\/link$/, (socket) => {
      const server = socket.connectToServer();
      socket.onMessage((data) => server.send(data));
      server.onMessage((data) => {
        const message = JSON.parse(String(data)) as { r?: { ok: boolean; value?: { compaction?: object } } };
        if (message.r?.value?.compaction === undefined) return socket.send(data);
        const answer = compaction === null ? { ok: false, name: 'Error', message: 'The disk could not be read.' } : { ...message.r, value: { ...message.r.value, compaction: { ...message.r.value.compaction, ...compaction } } };
        socket.send(JSON.stringify({ ...message, r: answer }));
      });
    });
    await page.reload();
    await indexed(page);
    await page.keyboard.press('Control+,');
    const compact = page.getByRole('region', { name: 'Compact' });
    await expect(compact.getByRole('button', { name: 'Compact the library' })).toBeEnabled();
    const again = page.getByRole('button', { name: 'Look again' });
    compaction = { running: { phase: 'write', done: 420_000_000, total: 1_000_000_000 } };
    await again.click();
    await expect(compact.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
    await compact.getByRole('button', { name: 'Cancel' }).click();
    await expect(compact.getByRole('status')).toHaveText('Stopping after this step');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-compacting');
    compaction = { running: null, refusal: 'There is not enough room in /home/me: 2,400 MB are needed while it is done, 310 MB are free.' };
    await again.click();
    await expect(compact.getByRole('note')).toContainText('2,400 MB are needed');
    await expect(compact.getByRole('button', { name: 'Compact the library' })).toBeDisabled();
    compaction = null;
    await again.click();
    await expect(page.getByRole('alert')).toHaveText('What stands here is from before: The disk could not be read.');
    expect(await faults(page)).toEqual([]);
    await screenshot(page, 'page-library-refused');
    await page.reload();
    await expect(page.getByRole('heading', { name: 'The library could not be looked at' })).toBeVisible();
    compaction = {};
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('heading', { name: 'What the library keeps' })).toBeVisible();
  } finally {
    await close();
    home.remove();
  }
});
