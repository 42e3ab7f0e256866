// Makes a large OpenCode database (1.18's own schema and rows, from a fixture): sessions with their messages, parts,
// todos and subagents are copied over and over, with ids and times of their own and texts as long as real ones. Of the
// event log each session has its first event, which is all that Retrace reads of it. One seed gives one corpus.
//   node opencode-corpus.mjs OUT --mb 200 [--seed 42]
// OUT/opencode.db, OUT/manifest.json
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { corpusText } from './corpus-text.mjs';
import { changed, once, withFixture } from './templates.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { mb: { type: 'string', default: '200' }, seed: { type: 'string', default: '42' } } });
const out = positionals[0];
if (!out) throw new Error('usage: opencode-corpus.mjs OUT --mb N [--seed N]');
// Indexes and half-filled pages make the file a quarter larger than what its rows hold.
const target = Number(values.mb) * 0.8e6;
const { int, pick, chance, lognormal, b62, zipf, IDS, prose, code, log } = corpusText(Number(values.seed));

mkdirSync(out, { recursive: true });
const file = join(out, 'opencode.db');
withFixture('opencode', 'v118-main', (home) => copyFileSync(join(home, '.local/share/opencode/opencode.db'), file));
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = OFF');

const needle = 'zymurgistic';
const truth = { bytes: 0, sessions: 0, messages: 0, parts: 0 };
const nativeId = /\b(ses|msg|prt|evt)_([0-9a-f]{12})[0-9A-Za-z]{14}/g;

const writers = new Map();
function insert(table, row) {
  let statement = writers.get(table);
  if (!statement) {
    const names = Object.keys(row);
    writers.set(table, (statement = db.prepare(`INSERT INTO ${table}(${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`)));
  }
  statement.run(row);
  for (const value of Object.values(row)) truth.bytes += typeof value === 'string' ? Buffer.byteLength(value) : 8;
}

/** Top-level sessions with what hangs on them. */
function templates() {
  const of = (table, order) => db.prepare(`SELECT * FROM ${table} WHERE session_id = ? ORDER BY ${order}`);
  const [messages, parts, todos] = [of('message', 'id'), of('part', 'id'), of('todo', 'position')];
  const first = db.prepare('SELECT * FROM event WHERE aggregate_id = ? AND seq = 0');
  const all = db.prepare('SELECT * FROM session').all().map((row) => ({ row, messages: messages.all(row.id), parts: parts.all(row.id), todos: todos.all(row.id), event: first.get(row.id) }));
  return all
    .filter(({ row, parts: own }) => row.parent_id === null && own.length >= 5)
    .map((root) => ({ root, children: all.filter(({ row }) => row.parent_id === root.row.id) }));
}

function grown(memo, key, text) {
  switch (key) {
    case 'text':
      return once(memo, text, () => prose(420, 1));
    case 'output':
      return text.length > 8000 ? text : once(memo, text, () => `${text}\n${log(1800)}`);
    case 'oldString':
      return once(memo, text, () => `${text}\n${code(260, 0.8)}`);
    case 'newString':
    case 'content':
      return once(memo, text, () => `${text}\n${code(600, 0.9)}`);
    case 'diff':
    case 'patch':
      return once(memo, text, () => `${text}@@ -90,0 +91,30 @@\n${code(900, 0.8).split('\n').map((line) => `+${line}`).join('\n')}\n`);
    case 'command':
      return `${text} && rg -n ${chance(0.01) ? needle : zipf(IDS)} src`;
    default:
      return text;
  }
}

/** Ids hold their time: 48 bits of milliseconds and a counter; those of sessions run downwards. */
function moved(kind, digits, offset) {
  const shift = BigInt(offset) * 4096n;
  const value = (BigInt(`0x${digits}`) + (kind === 'ses' ? -shift : shift)) & 0xffffffffffffn;
  return `${kind}_${value.toString(16).padStart(12, '0')}${b62(14)}`;
}

/** Copies a template to `offset` ms from its own times; into a session that is there already when one is given. */
function copy({ root, children }, offset, into) {
  const memo = new Map();
  const ids = new Map(into ? [[root.row.id, into]] : []);
  const text = (key, value) => grown(memo, key, value).replace(nativeId, (id, kind, digits) => once(ids, id, () => moved(kind, digits, offset)));
  const remake = (value) => changed(value, (key, each) => (typeof each === 'string' ? text(key, each) : each > 1e12 ? each + offset : each));
  const rowOf = (row, json) => {
    const made = remake({ ...row, [json]: null });
    return json && row[json] !== null ? { ...made, [json]: JSON.stringify(remake(JSON.parse(row[json]))) } : made;
  };
  for (const { row, messages, parts, todos, event } of [root, ...children]) {
    if (row !== root.row || !into) {
      insert('session', { ...rowOf(row, 'model'), slug: `${row.slug}-${b62(5)}`, title: row.title.startsWith('New session') ? row.title : `${row.title}: ${prose(30, 0.3)}` });
      truth.sessions++;
      for (const todo of todos) insert('todo', remake(todo));
      if (event) {
        insert('event_sequence', { aggregate_id: text('', row.id), seq: 0, owner_id: null });
        insert('event', rowOf(event, 'data'));
      }
    }
    for (const message of messages) insert('message', rowOf(message, 'data'));
    for (const part of parts) insert('part', rowOf(part, 'data'));
    truth.messages += messages.length;
    truth.parts += parts.length;
  }
  return ids.get(root.row.id);
}

const patterns = templates();
const [forks, originals] = [patterns.filter(({ root }) => root.row.title.includes('(fork #')), patterns.filter(({ root }) => !root.row.title.includes('(fork #'))];
/** One session in thirty is a fork; what is added to a session is never a fork's copies. */
const pattern = (isNew) => pick(isNew && chance(1 / 30) ? forks : originals);
const day = 86_400_000;
// A fifth of the corpus is one long session.
for (let budget = target / 5; truth.bytes < target; budget = Math.min(lognormal(250_000, 1.2), target - truth.bytes)) {
  const until = truth.bytes + budget;
  db.transaction(() => {
    let offset = -int(2 * day, 60 * day);
    const session = copy(pattern(true), offset);
    while (truth.bytes < until) {
      offset += int(1_000, 20_000);
      copy(pattern(false), offset, session);
    }
  })();
}
// What a fork copied is found once, in the session it comes from.
const planted = db
  .prepare("SELECT count(*) FROM part JOIN session ON session.id = part.session_id WHERE title NOT LIKE '%(fork #%' AND json_extract(data, '$.state.input.command') LIKE ?")
  .pluck()
  .get(`%${needle}%`);
db.pragma('wal_checkpoint(TRUNCATE)');
db.pragma('journal_mode = DELETE');
db.close();
writeFileSync(join(out, 'manifest.json'), JSON.stringify({ ...truth, planted, fileBytes: statSync(file).size, needle }));
