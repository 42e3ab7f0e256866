import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type ElectronApplication, expect, test } from '@playwright/test';
import { engineAnswer } from './engine-answer';
import { type Fixture, openFixture } from './fixtures';
import { desktopEnvironment, noWindow, openedWindow, root, temporaryFolder, windowArgs } from './launch';

test.skip(noWindow !== undefined, noWindow);

// In the product the engine runs in Electron's utility process. The Electron of most test runs is too old to load the
// database there, so this test takes the built app as it is and puts an engine without a database in the engine's place.
let fixture: Fixture;
let folder: ReturnType<typeof temporaryFolder>;
test.beforeAll(() => {
  fixture = openFixture('claude-code', 'titles');
  folder = temporaryFolder();
  cpSync(join(root, 'out'), join(folder.path, 'out'), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder.path, 'package.json'));
  renameSync(join(folder.path, 'out/main/engine-without-database.js'), join(folder.path, 'out/main/engine.js'));
});
test.afterAll(() => {
  folder.remove();
  fixture.dispose();
});

const engines = (app: ElectronApplication) =>
  app.evaluate(({ app: running }) =>
    running
      .getAppMetrics()
      .filter(({ name }) => name === 'Retrace engine')
      .map(({ type, pid }) => ({ type, pid })),
  );

test('page and engine talk through a port to the utility process, which is started again when it dies', async () => {
  const environment = desktopEnvironment();
  delete environment['RETRACE_ENGINE_NODE'];
  const { app, page, close } = await openedWindow(folder.path, windowArgs({ home: fixture.home, data: folder.path }), environment);
  try {
    await expect(page.getByRole('main')).toBeVisible();
    const node = await app.evaluate(() => process.versions.node);
    expect(await engineAnswer(page, 'engine.info', {})).toEqual({
      version: '0',
      home: fixture.home,
      library: join(folder.path, 'library.db'),
      node,
      sqlite: 'none',
      revision: 0,
      stores: [],
    });
    await expect(engineAnswer(page, 'index.status', {})).rejects.toThrow('index.status needs the database, which this engine leaves out.');

    const [first, ...others] = await engines(app);
    expect(others).toEqual([]);
    expect(first?.type).toBe('Utility');
    // The page sees its own port close with the process.
    const closed = page.evaluate(
      () =>
        new Promise<string>((done) => {
          window.addEventListener('message', function listen({ data, ports: [port] }) {
            if (data !== 'retrace:port' || !port) return;
            window.removeEventListener('message', listen);
            port.addEventListener('close', () => done('closed'));
            port.start();
            Object.assign(window, { connected: true });
          });
          window.retrace?.connect();
        }),
    );
    await expect.poll(() => page.evaluate(() => 'connected' in window)).toBe(true);
    process.kill(first?.pid ?? Number.NaN, 'SIGKILL');
    expect(await closed).toBe('closed');
    expect(await engineAnswer(page, 'engine.info', {})).toMatchObject({ home: fixture.home });
    const [second] = await engines(app);
    expect(second?.type).toBe('Utility');
    expect(second?.pid).not.toBe(first?.pid);
  } finally {
    await close();
  }
});
