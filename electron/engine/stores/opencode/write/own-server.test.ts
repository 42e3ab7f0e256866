import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withOwnServer } from './own-server';

test.skipIf(process.platform === 'win32')('a server is started without plugins and snapshots by its environment, with arguments that every release knows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-own-server-'));
  try {
    const program = join(folder, 'opencode');
    writeFileSync(program, '#!/bin/sh\necho "$* pure=$OPENCODE_PURE db=$OPENCODE_DB $OPENCODE_CONFIG_CONTENT"\n', { mode: 0o755 });
    const started = withOwnServer({ location: { agent: 'opencode', folder, origin: 'added' }, program, database: '/a.db', directory: folder, signal: new AbortController().signal }, () => Promise.resolve(null));
    await expect(started).rejects.toThrow('OpenCode did not start as a server: serve --port 0 --hostname 127.0.0.1 pure=1 db=/a.db {"snapshot":false,"autoupdate":false}.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
