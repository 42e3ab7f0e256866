import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { inHome, Paginated, place, threadA, threadB } from './home.test-support';
import { codex } from './index';

const survey = (home: string) => codex.survey({ agent: 'codex', folder: join(home, '.codex'), origin: 'default' }, { get: () => undefined, keys: () => ['rollout-known.jsonl'] });
const told = (damage: { place: string; reason: string }[]) => damage.map(({ place: where, reason }) => `${where}: ${reason}`).sort();

test.runIf(process.platform === 'linux')('what is no file in the place of a rollout, and names that are not UTF-8, are named once', () =>
  inHome((home) => {
    const folder = dirname(home.write(place(threadA), new Paginated(threadA).turn('say one').text()));
    mkdirSync(join(folder, 'rollout-folder.jsonl'));
    execFileSync('/usr/bin/env', ['mkfifo', join(folder, 'rollout-fifo.jsonl'), join(folder, 'other')]);
    symlinkSync('/dev/zero', join(folder, 'rollout-zero.jsonl'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'rollout-dangling.jsonl'));
    symlinkSync(join(folder, 'nowhere'), join(folder, 'notes'));
    writeFileSync(Buffer.concat([Buffer.from(join(folder, 'rollout-')), Buffer.from([0xff]), Buffer.from(`-${threadB}.jsonl`)]), '{}');
    const { changes, damage } = survey(home.path);
    expect(changes.filter(({ key }) => key.startsWith('rollout-')).map(({ key }) => key)).toEqual([`rollout-2026-11-29T15-53-01-${threadA}.jsonl`]);
    expect(told(damage)).toEqual([
      'sessions/2026/11/29/rollout-dangling.jsonl: not a file: its link leads nowhere',
      'sessions/2026/11/29/rollout-fifo.jsonl: not a file',
      'sessions/2026/11/29/rollout-folder.jsonl: not a file: it is a folder',
      'sessions/2026/11/29/rollout-zero.jsonl: not a file',
      `sessions/2026/11/29/rollout-\ufffd-${threadB}.jsonl: cannot be looked at: its name is not UTF-8`,
    ]);
  }));

test('a home that may not be looked into is one problem of the store, and nothing is gone', () =>
  inHome((home) => {
    home.write(place(threadA), new Paginated(threadA).turn('say one').text());
    const folder = join(home.path, '.codex');
    chmodSync(home.path, 0o755);
    chmodSync(folder, 0);
    // Root may look everywhere: for a while the test is nobody.
    if (process.getuid?.() === 0) process.seteuid?.(65_534);
    try {
      expect(survey(home.path)).toEqual({ changes: [], heads: [], gone: [], damage: [], problem: `The folder ${folder} may not be looked into: permission denied.` });
    } finally {
      if (process.getuid?.() === 0) process.seteuid?.(0);
      chmodSync(folder, 0o700);
    }
  }));
