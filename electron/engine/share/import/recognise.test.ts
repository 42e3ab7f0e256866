import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { asOrdinaryUser } from '../../reliability/home.test-support';
import { recognise } from './recognise';

const folder = mkdtempSync(join(tmpdir(), 'retrace-recognise-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(process.platform === 'win32')('a file or folder that this user may not read is said to be so', async () => {
  const file = join(folder, 'closed.json');
  writeFileSync(file, '{}', { mode: 0o000 });
  expect(await asOrdinaryUser(async () => recognise(file))).toEqual({ form: 'none', says: `${file} could not be read: this user may not.` });
  mkdirSync(join(folder, 'closed'), { mode: 0o000 });
  const inside = join(folder, 'closed/a.json');
  expect(await asOrdinaryUser(async () => recognise(inside))).toEqual({ form: 'none', says: `${inside} could not be read: this user may not.` });
});
