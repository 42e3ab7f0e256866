import Database from 'better-sqlite3';
import { test } from 'vitest';
import { opencode } from './index';
import type { Json, KnownSource } from '../store';
test('perf', () => {
  const location = { agent: 'opencode' as const, folder: '/tmp/oc/perf/data', origin: 'default' as const };
  const sources = new Map<string, { length: number; cursor: Json; carry: Json }>();
  const known = { get: (key: string): KnownSource | undefined => { const s = sources.get(key); return s && { key, ...s }; }, keys: () => sources.keys() };
  const pass = (label: string, project = true) => {
    const cpu = process.cpuUsage();
    const t0 = performance.now();
    const survey = opencode.survey(location, known);
    const t1 = performance.now();
    let bytes = 0, lines = 0, first = 0;
    for (const change of survey.changes.sort((a, b) => b.changed - a.changed)) for (const batch of opencode.read(location, change, known.get(change.key))) {
      first ||= performance.now() - t1;
      bytes += batch.bytes.length;
      const carry = project ? opencode.project({ source: batch.source, at: batch.at, bytes: batch.bytes, carry: null }) : { carry: null, records: [] };
      lines += carry.records.length;
      sources.set(batch.source, { length: batch.at + batch.bytes.length, cursor: batch.cursor, carry: carry.carry });
    }
    const used = process.cpuUsage(cpu);
    console.log(label, 'survey', Math.round(t1 - t0), 'ms; heads', survey.heads.length, 'changes', survey.changes.length, 'read', Math.round(performance.now() - t1), 'ms', (bytes / 1e6).toFixed(1), 'MB', lines, 'records; cpu', Math.round((used.user + used.system) / 1000), 'ms rss', Math.round(process.memoryUsage.rss() / 1e6));
  };
  pass('first');
  pass('again');
  const add = (session: string, n: number) => {
    const db = new Database('/tmp/oc/perf/data/opencode.db');
    db.pragma('foreign_keys=OFF');
    const t = 1796000000000 + n * 1000;
    db.prepare('insert into message values(?,?,?,?,?)').run('msg_x' + n, session, t, t, JSON.stringify({ role: 'assistant', time: { created: t, completed: t } }));
    db.prepare('insert into part values(?,?,?,?,?,?)').run('prt_x' + n, 'msg_x' + n, session, t, t, '{"type":"text","text":"x"}');
    db.prepare('update session set time_updated=? where id=?').run(t, session);
    db.close();
  };
  const base = Date.now() % 100000;
  add('ses_big', base); pass('append to the big one');
  add('ses_s00000077', base + 1); pass('append to a small one');
  pass('again');
}, 600000);
