// A second floor: the least an indexed design has to do. Parses every line, keeps the searchable text of every part
// (prompts, answers, thinking, tool inputs and outputs) in one SQLite FTS5 table (external-content free, unicode61),
// one transaction, one thread, Node's own SQLite. Then the time of a search, ranked, with a snippet, for several queries.
//   node floor-fts.mjs CORPUS DB [word word ...]
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { jsonlFiles, median, now, round } from './measure.mjs'
const [root, dbFile, ...words] = process.argv.slice(2)
for (const s of ['', '-wal', '-shm', '-journal']) fs.rmSync(dbFile + s, { force: true })
const db = new DatabaseSync(dbFile)
db.exec(`PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-65536;
CREATE TABLE part(id INTEGER PRIMARY KEY, file INT, line INT, kind TEXT, text TEXT);
CREATE VIRTUAL TABLE fts USING fts5(text, content='part', content_rowid='id', tokenize='unicode61');`)
const ins = db.prepare('INSERT INTO part(file,line,kind,text) VALUES(?,?,?,?)')
const t0 = now()
let parts = 0, chars = 0, listed = 0
db.exec('BEGIN')
const files = jsonlFiles(root)
files.forEach((f, fi) => {
  const b = fs.readFileSync(f)
  let n = 0
  const put = (kind, text) => {
    if (typeof text !== 'string' || !text) return
    ins.run(fi, n, kind, text)
    parts++
    chars += text.length
  }
  for (let p = 0; p < b.length; ) {
    let e = b.indexOf(10, p)
    if (e < 0) e = b.length
    if (e > p) {
      n++
      let o
      try { o = JSON.parse(b.toString('utf8', p, e)) } catch {}
      const c = o?.message?.content
      if (typeof c === 'string') put(o.type, c)
      else if (Array.isArray(c)) for (const x of c) {
        if (x.type === 'text') put(o.type, x.text)
        else if (x.type === 'thinking') put('thinking', x.thinking)
        else if (x.type === 'tool_use') put('input', JSON.stringify(x.input))
        else if (x.type === 'tool_result') put('output', typeof x.content === 'string' ? x.content : Array.isArray(x.content) ? x.content.filter((y) => y.type === 'text').map((y) => y.text).join('\n') : '')
      }
    }
    p = e + 1
  }
})
db.exec('COMMIT')
listed = now() - t0
db.exec("INSERT INTO fts(fts) VALUES('rebuild')")
const built = now() - t0
const { userCPUTime, systemCPUTime } = process.resourceUsage()
const q = db.prepare(`SELECT part.id, kind, snippet(fts,0,'[',']','…',12) s, bm25(fts) r FROM fts JOIN part ON part.id=fts.rowid WHERE fts MATCH ? ORDER BY r LIMIT 50`)
// the cheap way for common words: the newest 50 without a rank
const newest = db.prepare(`SELECT part.id, kind, snippet(fts,0,'[',']','…',12) s FROM fts JOIN part ON part.id=fts.rowid WHERE fts MATCH ? ORDER BY fts.rowid DESC LIMIT 50`)
const cnt = db.prepare('SELECT count(*) n FROM fts WHERE fts MATCH ?')
const search = {}
for (const w of words) {
  const ts = []
  for (let i = 0; i < 7; i++) {
    const t = now()
    q.all(w)
    ts.push(now() - t)
  }
  const tn = []
  for (let i = 0; i < 7; i++) {
    const t = now()
    newest.all(w)
    tn.push(now() - t)
  }
  search[w] = { newest_ms: round(median(tn) * 1000, 2), ms: round(median(ts) * 1000, 2), first_ms: round(ts[0] * 1000, 2), hits: cnt.get(w).n }
}
db.close()
console.log(JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1e6, parts, chars, parsedAndStored_s: round(listed), searchable_s: round(built), dbMB: Math.round(fs.statSync(dbFile).size / 1e6), search }))
