import Database from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { rowJson, writeLine } from './lines';
import { Owners } from './owners';
import { RowLines } from './row-lines';
import { type ListedRow, RowTables, type TableSlot } from './rows';
import { Schema } from './schema';

const open: Database.Database[] = [];
afterEach(() => open.splice(0).forEach((db) => db.close()));

function made(parts: unknown[]) {
  const db = new Database(':memory:');
  open.push(db);
  db.exec(`CREATE TABLE session(id TEXT, title TEXT);
    CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT, time_updated INTEGER);
    INSERT INTO message VALUES ('m', 's', 7, '{"role":"assistant","summary":true}')`);
  const insert = db.prepare("INSERT INTO part VALUES (?, 'm', 's', ?, 9)");
  parts.forEach((data, place) => insert.run(`p${place}`, data));
  const schema = new Schema(db);
  const tables = new RowTables(db, schema);
  const owners = new Owners(db, schema, tables);
  const linesOf = (slot: TableSlot) => new RowLines(db, schema, slot, tables[slot], owners);
  return { db, tables, owners, linesOf };
}

const listed = (rowid: number, bytes = 10): ListedRow => ({ rowid, id: `p${rowid - 1}`, at: 9, bytes, message: 'm' });

test('a line made of bytes is the line made of the row', () => {
  const { tables, owners, linesOf } = made(['{"type":"text","text":"Grüße — “ok”"}', '[1]']);
  const [lines, end] = linesOf('part').next([listed(1), listed(2)], 0);
  expect(end).toBe(2);
  expect(lines.get(1)?.toString()).toBe(
    '{"t":"part","of":{"role":"assistant","time":7,"summary":true},"r":{"id":"p0","message_id":"m","session_id":"s","data":{"type":"text","text":"Grüße — “ok”"},"time_updated":9}}\n',
  );
  for (const rowid of [1, 2]) expect(lines.get(rowid)).toEqual(writeLine('part', rowJson(tables.part.row(rowid) ?? {}), owners.of('m')));
});

test.each([
  ['text that is no JSON', 'not json'],
  ['JSON over several lines', '{\n"a":1}'],
  ['JSON over several lines of another system', '{\r"a":1}'],
  ['a JSON text', '"words"'],
  ['a number', '3'],
  ['nothing', null],
  ['bytes', Buffer.from('{"a":1}')],
  ['more behind a zero', '{"a":1}\0more'],
  ['JSON with comments', '{"a":1/* no */}'],
  ['JSON with a control character', '{"a":"\u0001"}'],
])('%s is left to the reading of the single row', (_, data) => {
  const [lines, end] = made([data, '{}']).linesOf('part').next([listed(1), listed(2)], 0);
  expect([...lines.keys()]).toEqual([2]);
  expect(end).toBe(2);
});

test('few rows at once: 32 of them, or one that is large', () => {
  const { linesOf } = made(Array.from({ length: 40 }, () => '{}'));
  const rows = Array.from({ length: 40 }, (_, at) => listed(at + 1, at === 34 ? 2 << 20 : 10));
  const ends = [];
  for (let at = 0; at < rows.length; ) {
    const [lines, end] = linesOf('part').next(rows, at);
    ends.push([lines.size, end]);
    at = end;
  }
  expect(ends).toEqual([[32, 32], [2, 34], [0, 35], [5, 40]]);
});

test('a message that was read tells its parts without being asked for again', () => {
  const { db, owners, linesOf } = made([]);
  linesOf('message').next([{ ...listed(1), id: 'm', message: null }], 0);
  db.exec('DELETE FROM message');
  expect(owners.of('m')).toEqual({ role: 'assistant', time: 7, summary: true });
});
