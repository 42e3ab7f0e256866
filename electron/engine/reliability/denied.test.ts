import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../e2e/fixtures';
import { filesOf, Shelf } from '../stores/acceptance';
import { opencode } from '../stores/opencode';
import { answered, asOrdinaryUser, damageIn, inWrittenHome, lineAgents, said, textAgents, type WrittenHome } from './home.test-support';

/** A place that the ordinary user owns and may not change. */
function makeReadOnly(home: WrittenHome): void {
  chmodSync(home.folder, 0o755);
  const paths = [home.path, ...readdirSync(home.path, { recursive: true, encoding: 'utf8' }).map((name) => join(home.path, name))];
  for (const path of paths.reverse()) {
    if (process.getuid?.() === 0) chownSync(path, 65_534, 65_534);
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  }
}

test.each(textAgents)('7: read-only folder and file of $agent: all sessions shown', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.say(1, 'one');
    home.say(2, 'two');
    makeReadOnly(home);
    const before = filesOf(home.path);
    await asOrdinaryUser(async () => {
      const shelf = await home.read();
      expect(said(shelf)).toEqual([answered('one'), answered('two')]);
      expect(damageIn(shelf)).toEqual([]);
    });
    expect(filesOf(home.path)).toEqual(before);
  }));

describe.each(textAgents)('22: permission denied in a home of $agent', (agent) => {
  test('a transcript that may not be read: the others shown, the place named once, tried again when its rights change', () =>
    inWrittenHome(agent, async (home) => {
      home.say(1, 'healthy');
      chmodSync(home.say(2, 'closed'), 0);
      chmodSync(home.folder, 0o755);
      await asOrdinaryUser(async () => {
        const shelf = await home.read();
        expect(said(shelf).filter((texts) => texts.length > 0)).toEqual([answered('healthy')]);
        const named = [`${agent.named(2)} cannot be opened: permission denied`];
        expect(damageIn(shelf)).toEqual(named);
        const again = await shelf.pass();
        expect([again.sourcesChanged, again.bytesRead]).toEqual([0, 0]);
        expect(damageIn(shelf)).toEqual(named);
      });
      chmodSync(home.file(2), 0o644);
      const open = await home.read();
      expect(said(open)).toEqual([answered('closed'), answered('healthy')]);
    }));
});

test.each(lineAgents)('22: a folder of $agent that may not be looked at: the others shown, the place named once, nothing lost', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.say(1, 'healthy');
    home.say(2, 'closed');
    const folder = dirname(home.file(2));
    chmodSync(home.folder, 0o755);
    const known = await home.read();
    chmodSync(folder, 0);
    try {
      await asOrdinaryUser(async () => {
        const shelf = await home.read();
        expect(said(shelf)).toEqual([answered('healthy')]);
        const named = [`${dirname(agent.named(2))} cannot be looked at: permission denied`];
        expect(damageIn(shelf)).toEqual(named);
        await shelf.pass();
        expect(damageIn(shelf)).toEqual(named);
      });
      if (process.getuid?.() !== 0) return;
      // What was read before is not taken for gone.
      process.seteuid?.(0);
      expect(known.content().map(({ source }) => source)).toEqual(['present', 'present']);
    } finally {
      chmodSync(folder, 0o755);
    }
  }));

test('22: a database of OpenCode that may not be read is named; its JSON sessions are shown', async () => {
  const fixture = openFixture('opencode', 'v12-sqlite');
  const shelf = new Shelf(fixture.home, opencode);
  try {
    await shelf.pass();
    const whole = shelf.content().length;
    chmodSync(dirname(fixture.home), 0o755);
    chmodSync(join(fixture.home, '.local/share/opencode/opencode.db'), 0);
    await asOrdinaryUser(async () => {
      const denied = new Shelf(fixture.home, opencode);
      await denied.pass();
      expect(denied.library.db.prepare('SELECT problem FROM store').pluck().all()).toEqual([expect.stringMatching(/opencode\.db.*(permission denied|EACCES|unable to open)/)]);
      denied.dispose();
    });
    expect(shelf.content()).toHaveLength(whole);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
});

test('22: a project folder of Aider that may not be looked into is named, and what was read of it stays', () =>
  inWrittenHome(textAgents[2] as (typeof textAgents)[number], async (home) => {
    home.say(1, 'healthy');
    home.say(2, 'closed');
    const folder = dirname(home.file(2));
    chmodSync(home.folder, 0o755);
    const known = await home.read();
    chmodSync(folder, 0);
    try {
      await asOrdinaryUser(async () => {
        const shelf = await home.read();
        expect(said(shelf)).toEqual([answered('healthy')]);
        const problems = () => shelf.library.db.prepare('SELECT problem FROM store WHERE problem IS NOT NULL').pluck().all();
        expect(problems()).toEqual([`${folder} may not be read by this user.`]);
        expect((await shelf.pass()).bytesRead).toBe(0);
        expect(problems()).toHaveLength(1);
      });
      expect(known.content().map(({ source }) => source)).toEqual(['present', 'present']);
      // It may be listed, and nothing in it looked at.
      chmodSync(folder, 0o444);
      await asOrdinaryUser(async () => expect(damageIn(await home.read())).toEqual(['.aider.chat.history.md cannot be looked at: permission denied']));
    } finally {
      chmodSync(folder, 0o755);
    }
  }));
