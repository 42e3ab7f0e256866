import Database from 'better-sqlite3';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { type Fixture, openFixture } from '../../../../e2e/fixtures';
import { opencode } from './index';
import { dataFolder, TestLibrary } from './library.test-support';

function within(name: string, action: (library: TestLibrary, folder: string, fixture: Fixture) => void): void {
  const fixture = openFixture('opencode', name);
  try {
    const folder = dataFolder(fixture.home);
    action(TestLibrary.of(folder), folder, fixture);
  } finally {
    fixture.dispose();
  }
}

function write(folder: string, action: (db: Database.Database) => void, file = 'opencode.db'): void {
  const db = new Database(join(folder, file));
  action(db);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Everything a person would see, in an order that does not depend on how it was read. */
const content = (library: TestLibrary) =>
  library.sessions.map((session) => ({
    facts: session.facts, settled: { ...session.settled, records: undefined, order: undefined, branches: undefined, tools: session.settled.tools.length, notices: session.settled.notices.map(({ text }) => text) },
    parts: session.parts.map(({ key, state, reason, seen, part, message, role }) => ({ key, state, reason, seen, part, message, role })),
    messages: [...session.messages.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
  }));

function fresh(folder: string): TestLibrary {
  const library = TestLibrary.of(folder);
  library.pass();
  return library;
}

const session = 'ses_e1c685695ffext9gqa0c8sgW3P';
const late = 1_796_000_000_000;

/** A turn as the program writes it: a prompt and a reply. */
function addTurn(db: Database.Database, name: string, at = late, target = session): void {
  const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?)');
  const part = db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)');
  message.run(`msg_${name}a`, target, at, at, JSON.stringify({ role: 'user', time: { created: at } }));
  part.run(`prt_${name}a`, `msg_${name}a`, target, at, at, JSON.stringify({ type: 'text', text: `prompt ${name}` }));
  message.run(`msg_${name}b`, target, at + 1, at + 2, JSON.stringify({ role: 'assistant', time: { created: at + 1, completed: at + 2 }, modelID: 'm', finish: 'stop' }));
  part.run(`prt_${name}b`, `msg_${name}b`, target, at + 1, at + 2, JSON.stringify({ type: 'text', text: `answer ${name}` }));
  db.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(at + 2, target);
}

describe('a database that grows', () => {
  test('new rows cost themselves: four rows and the session’s own', () =>
    within('v118-main', (library, folder) => {
      library.pass();
      const first = library.lines;
      write(folder, (db) => addTurn(db, 'new1'));
      library.pass();
      expect(library.survey.changes.filter(({ key }) => key.startsWith('opencode.db/')).map(({ key }) => key)).toContain(`opencode.db/${session}`);
      expect(library.lines).toBe(5);
      expect(first).toBeGreaterThan(500);
      const { parts } = library.session(session);
      expect(parts.slice(-2).map(({ part, role }) => [role, part.text])).toEqual([['user', 'prompt new1'], ['assistant', 'answer new1']]);
      expect(library.session(session).messages.get('msg_new1a')?.prompt).toBe(true);
      library.pass();
      expect({ lines: library.lines, changes: library.survey.changes }).toEqual({ lines: 0, changes: [] });
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('a changed row costs itself', () =>
    within('v118-main', (library, folder) => {
      library.pass();
      write(folder, (db) => {
        // As when an old output is cleared: no new row, no change of the session; the event log tells.
        db.prepare(`UPDATE part SET data = json_set(data, '$.state.time.compacted', ?), time_updated = ? WHERE id = 'prt_1e397baf9001iZ9mXSQisOshTJ'`).run(late, late);
        db.prepare(`INSERT INTO event VALUES ('evt_x', ?, 9999, 'message.part.updated.1', '{}')`).run(session);
      });
      library.pass();
      expect(library.lines).toBe(1);
      expect(library.session(session).part('prt_1e397baf9001iZ9mXSQisOshTJ')).toMatchObject({ state: 'cleared', seen: true });
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('an unfinished reply is looked at again whenever the database changes', () =>
    within('v118-main', (library, folder) => {
      const now = Date.now();
      write(folder, (db) => {
        db.exec('DELETE FROM event');
        addTurn(db, 'open', now);
        db.prepare("UPDATE message SET data = json_remove(data, '$.time.completed', '$.finish') WHERE id = 'msg_openb'").run();
        db.prepare("UPDATE part SET data = json_set(data, '$.text', '') WHERE id = 'prt_openb'").run();
      });
      library.pass();
      write(folder, (db) => db.prepare("UPDATE part SET data = json_set(data, '$.text', 'all of it'), time_updated = ? WHERE id = 'prt_openb'").run(now + 9_000));
      library.pass();
      expect(library.session(session).part('prt_openb').part.text).toBe('all of it');
    }));

  test('the text of a person’s message that comes after its row makes it a prompt', () =>
    within('v118-main', (library, folder) => {
      write(folder, (db) => {
        addTurn(db, 'slow');
        db.exec("DELETE FROM part WHERE id = 'prt_slowa'");
      });
      library.pass();
      expect(library.session(session).messages.get('msg_slowa')?.prompt).toBe(false);
      write(folder, (db) => db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)').run('prt_slowa', 'msg_slowa', session, late, late, '{"type":"text","text":"here it is"}'));
      library.pass();
      expect(library.lines).toBe(1);
      expect(library.session(session).messages.get('msg_slowa')?.prompt).toBe(true);
    }));

  test('a reading that is broken off goes on where it was', () =>
    within('v118-pruned', (library, folder) => {
      write(folder, (db) => db.transaction(() => {
        for (let n = 0; n < 3_000; n++) addTurn(db, `many${String(n).padStart(6, '0')}`, late + n * 10, 'ses_e4b15cb34ffeC2axhXq4gnLPeu');
        db.prepare("UPDATE part SET data = json_set(data, '$.text', ?) WHERE id LIKE 'prt_many%b'").run('x'.repeat(4_000));
      })());
      let read = 0;
      for (let passes = 0; passes < 10; passes++) {
        library.pass((_key, batch) => batch < 1);
        read += library.lines;
        if (library.survey.changes.length === 0) break;
      }
      const whole = fresh(folder);
      expect(content(library)).toEqual(content(whole));
      // No row was read twice.
      expect(read).toBe(whole.lines);
    }));

  test('a session that was not read in a pass is read in the next, though nothing changed', () =>
    within('v118-main', (library, folder) => {
      library.pass();
      write(folder, (db) => addTurn(db, 'later'));
      const changes = opencode.survey(library.location, library.known).changes;
      // The database is counted as looked through, and then the pass is cancelled before the session was read.
      const whole = changes.find(({ key }) => key === 'opencode.db');
      for (const batch of whole ? opencode.read(library.location, whole, library.known.get('opencode.db')) : []) library.take(batch);
      library.pass();
      expect(library.session(session).messageOrder).toContain('msg_laterb');
      expect(content(library)).toEqual(content(fresh(folder)));
    }));
});

test.each(['v118-main', 'v118-compaction', 'v118-v2api'])('%s: many passes over a store that grows give what one gives', (name) =>
  within(name, (library, folder) => {
    copyFileSync(join(folder, 'opencode.db'), join(folder, 'whole'));
    const tables = ['message', 'part', 'session_message', 'session_input', 'event'];
    write(folder, (db) => {
      db.pragma('foreign_keys = OFF');
      for (const table of tables) db.exec(`DELETE FROM ${table}`);
    });
    const whole = new Database(join(folder, 'whole'), { readonly: true });
    const left = whole.prepare("SELECT 'message' AS name, rowid, time_created AS at FROM message UNION ALL SELECT 'part', rowid, time_created FROM part UNION ALL SELECT 'session_message', rowid, time_created FROM session_message UNION ALL SELECT 'session_input', rowid, time_created FROM session_input ORDER BY at").all() as { name: string; rowid: number }[];
    while (left.length > 0) {
      const some = left.splice(0, 60);
      write(folder, (db) => {
        db.pragma('foreign_keys = OFF');
        for (const { name: table, rowid } of some) {
          const row = whole.prepare(`SELECT * FROM ${table} WHERE rowid = ?`).get(rowid) as Record<string, unknown>;
          db.prepare(`INSERT INTO ${table} VALUES (${Object.keys(row).map(() => '?').join(', ')})`).run(Object.values(row));
        }
      });
      library.pass();
    }
    whole.close();
    expect(content(library)).toEqual(content(fresh(folder)));
  }),
);

describe('rows that go away', () => {
  const finalRevert = (db: Database.Database) => {
    db.exec("DELETE FROM part WHERE message_id IN (SELECT id FROM message WHERE session_id = 'ses_e3b874195ffev1CSG6ZGzIDSgk' AND time_created >= (SELECT time_created FROM message WHERE id = 'msg_1c478d3540017K1P3VcfLVFJWs'))");
    db.exec("DELETE FROM message WHERE session_id = 'ses_e3b874195ffev1CSG6ZGzIDSgk' AND time_created >= (SELECT time_created FROM message WHERE id = 'msg_1c478d3540017K1P3VcfLVFJWs')");
    db.exec(`UPDATE session SET revert = NULL, time_updated = ${late} WHERE id = 'ses_e3b874195ffev1CSG6ZGzIDSgk'`);
    addTurn(db, 'final', late, 'ses_e3b874195ffev1CSG6ZGzIDSgk');
  };

  test('a revert made final: the messages stay in the library as removed, the rest is as new', () =>
    within('v118-revert', (library, folder) => {
      library.pass();
      write(folder, finalRevert);
      library.pass();
      const found = library.session('ses_e3b874195ffev1CSG6ZGzIDSgk');
      const gone = found.held.filter((record) => record.gone);
      expect(gone.filter(({ type }) => type.startsWith('message/'))).toHaveLength(9);
      expect(gone.every(({ key }) => found.parts.filter((part) => part.key === key).every(({ state, seen }) => state === 'reverted' && !seen))).toBe(true);
      expect(found.settled.notices.map(({ text }) => text)).toContain(`${gone.length} records that OpenCode has removed since are kept here.`);
      expect(found.settled.reverted).toBe(false);
      const here = found.parts.filter(({ record }) => !record.gone).map(({ key, state }) => [key, state]);
      expect(here).toEqual(fresh(folder).session(found.native).parts.map(({ key, state }) => [key, state]));
      library.pass();
      expect(library.lines).toBe(0);
    }));

  test('a library that does not say what it holds gets the session anew', () =>
    within('v118-revert', (library, folder) => {
      library.silent = true;
      library.pass();
      write(folder, finalRevert);
      library.pass();
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('row numbers that move mean nothing', () =>
    within('v118-main', (library, folder) => {
      library.pass();
      write(folder, (db) => {
        db.exec("DELETE FROM part WHERE session_id = 'ses_e12390258ffeUfJCLGDeQ7saG5'; DELETE FROM message WHERE session_id = 'ses_e12390258ffeUfJCLGDeQ7saG5'; DELETE FROM session WHERE id = 'ses_e12390258ffeUfJCLGDeQ7saG5'");
        db.exec('VACUUM');
        db.prepare('UPDATE session SET time_updated = ?').run(late);
      });
      library.pass();
      expect(library.survey.gone).toEqual(['opencode.db/ses_e12390258ffeUfJCLGDeQ7saG5']);
      // The session rows, and no other.
      expect(library.lines).toBe(23);
      expect(library.natives.filter((native) => native !== 'ses_e12390258ffeUfJCLGDeQ7saG5')).toEqual(fresh(folder).natives);
    }));

  test('an older database put in its place is read anew', () =>
    within('v118-main', (library, folder) => {
      copyFileSync(join(folder, 'opencode.db'), join(folder, 'backup'));
      write(folder, (db) => addTurn(db, 'lost'));
      library.pass();
      expect(library.session(session).messageOrder).toContain('msg_losta');
      copyFileSync(join(folder, 'backup'), join(folder, 'opencode.new'));
      rmSync(join(folder, 'opencode.db'));
      copyFileSync(join(folder, 'opencode.new'), join(folder, 'opencode.db'));
      library.pass();
      expect(library.session(session).messageOrder).not.toContain('msg_losta');
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('a prompt leaves the inbox as a message with the same id, or is taken back', () =>
    within('v118-v2api', (library, folder) => {
      const inbox = 'ses_e403fc1c9ffe6CofQsjGR6OMSU';
      write(folder, (db) => db.exec(`INSERT INTO session_input VALUES ('msg_other', '${inbox}', '{"text":"second thought"}', 'queue', 2, NULL, ${late})`));
      library.pass();
      expect(library.session(inbox).parts.map(({ state, part }) => [state, part.text])).toEqual([['pending', 'This prompt waits in the inbox about a parcel.'], ['pending', 'second thought']]);
      write(folder, (db) => {
        db.exec(`UPDATE session_input SET promoted_seq = 3 WHERE id = 'msg_1bfc03eae001qItgp103tqEO2K'; DELETE FROM session_input WHERE id = 'msg_other'`);
        db.exec(`INSERT INTO session_message VALUES ('msg_1bfc03eae001qItgp103tqEO2K', '${inbox}', 'user', 3, 1794218409646, ${late}, '{"text":"This prompt waits in the inbox about a parcel.","time":{"created":1794218409646}}')`);
      });
      library.pass();
      const { parts } = library.session(inbox);
      expect(parts.filter(({ record }) => !record.gone).map(({ state, record }) => [state, record.type])).toEqual([['live', 'v2/user']]);
      expect(parts.filter(({ record }) => record.gone).map(({ key }) => key)).toEqual(['msg_other']);
    }));
});

describe('several places', () => {
  test('the same session in two databases is read where it was written last', () =>
    within('v118-wrap', (library, folder) => {
      copyFileSync(join(folder, 'opencode.db'), join(folder, 'opencode-dev.db'));
      const shared = 'ses_014e27763ffeCez0kQoG5oSmm5';
      write(folder, (db) => db.prepare('UPDATE session SET title = ?, time_updated = ? WHERE id = ?').run('Newer here', late, shared), 'opencode-dev.db');
      library.pass();
      expect(library.natives).toHaveLength(4);
      expect(library.session(shared).facts).toMatchObject({ title: 'Newer here', alsoIn: ['opencode.db'] });
      expect(new Set(library.session(shared).held.map(({ source }) => source))).toEqual(new Set([`opencode-dev.db/${shared}`]));
      // And the other way round, once the first is the newer.
      write(folder, (db) => db.prepare('UPDATE session SET title = ?, time_updated = ? WHERE id = ?').run('Back again', late + 60_000, shared));
      library.pass();
      expect(library.session(shared).facts).toMatchObject({ title: 'Back again', alsoIn: ['opencode-dev.db'] });
      expect(content(library)).toEqual(content(fresh(folder)));
      library.pass();
      expect(library.survey.changes).toEqual([]);
    }));

  test('JSON sessions that come into a database are read there, and only named where they were', () =>
    within('v118-from-v12', (library, folder) => {
      copyFileSync(join(folder, 'opencode.db'), join(folder, 'set-aside'));
      rmSync(join(folder, 'opencode.db'));
      library.pass();
      expect(library.session('ses_44e90eed4ffehB01dfj1ftheDx').facts.agentVersion).toBe('1.1.65');
      expect(library.session('ses_44e90eed4ffehB01dfj1ftheDx').held.every(({ source }) => source.startsWith('storage/'))).toBe(true);
      copyFileSync(join(folder, 'set-aside'), join(folder, 'opencode.db'));
      library.pass();
      expect(content(library)).toEqual(content(fresh(folder)));
      // Busy or broken it still has them: the stale files do not come back.
      const sound = readFileSync(join(folder, 'opencode.db'));
      writeFileSync(join(folder, 'opencode.db'), 'broken');
      library.pass();
      expect(library.survey.problem).toContain('file is not a database');
      expect(library.survey.gone).toEqual([]);
      expect(library.session('ses_44e90eed4ffehB01dfj1ftheDx').held.every(({ source }) => source.startsWith('opencode.db/'))).toBe(true);
      writeFileSync(join(folder, 'opencode.db'), sound);
      library.pass();
      expect(content(library)).toEqual(content(fresh(folder)));
    }));
});

describe('JSON files that change', () => {
  const root = (folder: string) => join(folder, 'storage');
  const target = 'ses_439f77daeffeC7GcUuZlRwuvVh';
  const file = (folder: string, ...names: string[]) => join(root(folder), ...names);
  const put = (path: string, value: unknown) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  };
  const addMessage = (folder: string, id: string, part: string, text: string) => {
    put(file(folder, 'message', target, `${id}.json`), { id, sessionID: target, role: 'user', time: { created: 1768560000000 } });
    put(file(folder, 'part', id, `${part}.json`), { id: part, messageID: id, sessionID: target, type: 'text', text });
  };

  test('a new message costs its files', () =>
    within('v11-json', (library, folder) => {
      library.pass();
      addMessage(folder, 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa', 'one more');
      library.pass();
      expect(library.lines).toBe(2);
      expect(library.session(target).parts.at(-1)?.part.text).toBe('one more');
      library.pass();
      expect(library.lines).toBe(0);
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('a changed part costs its file', () =>
    within('v11-json', (library, folder) => {
      library.pass();
      const [message = ''] = readdirSync(file(folder, 'message', target)).sort().slice(-1);
      const [part = ''] = readdirSync(file(folder, 'part', message.slice(0, -5)));
      const path = file(folder, 'part', message.slice(0, -5), part);
      put(path, { ...(JSON.parse(readFileSync(path, 'utf8')) as object), metadata: { changed: true } });
      // A message folder shows nothing of it; only sessions written to lately are looked through.
      addMessage(folder, 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa', 'one more');
      library.pass();
      expect(library.lines).toBe(3);
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test.each([false, true])('a part that goes away is kept as removed, or the session is read anew (silent: %s)', (silent) =>
    within('v11-json', (library, folder) => {
      library.silent = silent;
      addMessage(folder, 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa', 'one more');
      library.pass();
      rmSync(file(folder, 'part', 'msg_bc6600000001aaaaaaaaaaaaaa'), { recursive: true });
      rmSync(file(folder, 'message', target, 'msg_bc6600000001aaaaaaaaaaaaaa.json'));
      library.pass();
      const held = library.session(target).held.filter(({ key }) => key === 'prt_bc6600001001aaaaaaaaaaaaaa');
      expect(held.map(({ gone }) => gone)).toEqual(silent ? [] : [true]);
      expect(library.session(target).messageOrder.filter((key) => key !== 'msg_bc6600000001aaaaaaaaaaaaaa')).toHaveLength(2);
    }),
  );

  test('a half-written file is waited for, then named, and its damage goes when it is whole', () =>
    within('v11-json', (library, folder) => {
      library.pass();
      addMessage(folder, 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa', 'one more');
      const path = file(folder, 'part', 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa.json');
      const whole = readFileSync(path, 'utf8');
      put(path, whole.slice(0, 40));
      library.pass();
      expect(library.damage).toEqual([]);
      const minuteAgo = (Date.now() - 60_000) / 1000;
      utimesSync(path, minuteAgo, minuteAgo);
      library.pass();
      library.pass();
      expect(library.damage).toMatchObject([{ place: 'storage/part/msg_bc6600000001aaaaaaaaaaaaaa/prt_bc6600001001aaaaaaaaaaaaaa.json', bytes: 40, reason: 'the file holds no whole JSON object' }]);
      put(path, whole);
      library.pass();
      expect(library.damage).toEqual([]);
      expect(library.session(target).parts.at(-1)?.part.text).toBe('one more');
      expect(content(library)).toEqual(content(fresh(folder)));
    }));

  test('a half-written file is named also when nothing else happens', () =>
    within('v11-json', (library, folder) => {
      addMessage(folder, 'msg_bc6600000001aaaaaaaaaaaaaa', 'prt_bc6600001001aaaaaaaaaaaaaa', 'one more');
      const path = file(folder, 'message', target, 'msg_bc6600000001aaaaaaaaaaaaaa.json');
      put(path, '{"id":');
      vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
      library.pass();
      expect(library.damage).toEqual([]);
      vi.setSystemTime(Date.now() + 11_000);
      for (let n = 0; n < 3; n++) library.pass();
      expect(library.damage.map(({ place }) => place)).toEqual([`storage/message/${target}/msg_bc6600000001aaaaaaaaaaaaaa.json`]);
      expect(library.session(target).parts.at(-1)).toMatchObject({ part: { text: 'one more' }, record: { note: { orphan: true } } });
      vi.useRealTimers();
    }));

  test('a torn session file costs its title and nothing else', () =>
    within('v11-json', (library, folder) => {
      const [path = ''] = readdirSync(file(folder, 'session'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(`${target}.json`));
      const whole = readFileSync(file(folder, 'session', path), 'utf8');
      put(file(folder, 'session', path), '{"id":"ses_439f77daeffe');
      const minuteAgo = (Date.now() - 60_000) / 1000;
      utimesSync(file(folder, 'session', path), minuteAgo, minuteAgo);
      library.pass();
      expect(library.session(target).parts).toHaveLength(2);
      expect(library.damage.map(({ place }) => place)).toEqual([`storage/session/${path.replaceAll('\\', '/')}`]);
      put(file(folder, 'session', path), whole);
      library.pass();
      expect(library.damage).toEqual([]);
      expect(library.session(target).facts.title).toBe('Shell');
    }));
});

test('saved tool output is kept when the program has deleted it', () =>
  within('v118-main', (library, folder) => {
    library.pass();
    const call = 'prt_1f41b8e52001HH7fHZXNN1a6uX';
    const found = library.session('ses_e0be47527ffe5kUZwCSWB6RX9i');
    expect(found.body(call).tool?.output?.split('\n')).toHaveLength(2_601);
    rmSync(join(folder, 'tool-output'), { recursive: true });
    library.pass();
    expect(library.survey.gone.sort()).toEqual(['tool-output/tool_1f41b8e7e001rZl5EmJAgKXSbX', 'tool-output/tool_1f41b92d9001wW9JnLuooWv2Yv']);
  }));
