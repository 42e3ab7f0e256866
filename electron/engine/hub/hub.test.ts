import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLink } from '@shared/link';
import { ManualPort } from '@shared/port';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine } from '../engine';
import { Hub } from './hub';

let folder: string;
const open: Hub[] = [];
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'retrace-hub-'))));
afterEach(async () => {
  for (const opened of open.splice(0)) await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

function hub(file = join(folder, 'library.db')): Hub {
  const made = new Hub(file, (emit) => startEngine({ file, home: '/nowhere', stores: [], index: null }, emit));
  open.push(made);
  return made;
}

/** A client of a hub, as a page would be. */
function client(of: Hub) {
  const near: ManualPort = new ManualPort((data) => queueMicrotask(() => far.deliver(data)));
  const far: ManualPort = new ManualPort((data) => queueMicrotask(() => near.deliver(data)), () => queueMicrotask(() => near.closed()));
  const engine = openLink(near);
  of.attach(far);
  return engine;
}

test('the first hub has the library, the second hands its calls on', async () => {
  const first = hub();
  const second = hub();
  const info = await client(first).call('engine.info', {});
  expect(first.isOwner).toBe(true);
  expect(await client(second).call('engine.info', {})).toEqual(info);
  expect(second.isOwner).toBe(false);
});

test('when the owner ends its clients are told, and the next hub takes the library over', async () => {
  const first = hub();
  await client(first).call('engine.info', {});
  const second = hub();
  const guest = client(second);
  await guest.call('engine.info', {});
  const lost = new Promise<void>((done) => guest.onClose(done));
  await first.close();
  await lost;
  await client(second).call('engine.info', {});
  expect(second.isOwner).toBe(true);
});

test('the socket is for this user alone', async () => {
  const first = hub();
  await client(first).call('engine.info', {});
  expect(statSync(first.address).mode & 0o777).toBe(0o600);
});

test('a library deep in the folders gets a socket with a short name', async () => {
  const deep = hub(join(folder, 'a'.repeat(60), 'b'.repeat(60), 'library.db'));
  expect(deep.address.length).toBeLessThan(100);
  await client(deep).call('engine.info', {});
  expect(deep.isOwner).toBe(true);
});

test('a call that is not as agreed is refused with the reason', async () => {
  const engine = client(hub());
  await expect(engine.call('session.parts', { session: 'x/y', from: -1, count: 5 })).rejects.toThrow('The first number is too small: it is 0 at least.');
  await expect(engine.call('no.such' as 'engine.info', {})).rejects.toThrow('no method "no.such"');
});
