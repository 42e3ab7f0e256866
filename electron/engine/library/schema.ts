/**
 * The library's tables, as a list of migrations: entry n takes a library of version n to n + 1. An entry that has
 * shipped is never edited. Texts that repeat (type names, tools, models, reasons) stand once, in `word`.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE word(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

  CREATE TABLE store(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, folder TEXT NOT NULL, origin TEXT NOT NULL,
    found INTEGER NOT NULL DEFAULT 0, problem TEXT);

  -- The raw log: a source is one stream of bytes; a truncated or replaced file begins a new generation, the old one stays.
  CREATE TABLE source(id INTEGER PRIMARY KEY, store INTEGER NOT NULL REFERENCES store, key TEXT NOT NULL, generation INTEGER NOT NULL,
    length INTEGER NOT NULL DEFAULT 0, cursor TEXT, carry TEXT, reader INTEGER NOT NULL, gone INTEGER NOT NULL DEFAULT 0, changed INTEGER,
    UNIQUE(store, key, generation));
  CREATE TABLE chunk(id INTEGER PRIMARY KEY, source INTEGER NOT NULL REFERENCES source, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
    hash BLOB NOT NULL, data BLOB NOT NULL);
  CREATE UNIQUE INDEX chunk_place ON chunk(source, at);

  -- Projections: all of it can be made anew from the log.
  CREATE TABLE project(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, folder TEXT);
  CREATE TABLE session(id INTEGER PRIMARY KEY, store INTEGER NOT NULL REFERENCES store, native TEXT NOT NULL, kind TEXT NOT NULL,
    title TEXT, directory TEXT, project INTEGER REFERENCES project, branch TEXT, model TEXT,
    created INTEGER, updated INTEGER, archived INTEGER,
    -- 1: times are local ones without a zone, kept as if they were UTC
    local_time INTEGER NOT NULL DEFAULT 0, ignored INTEGER NOT NULL DEFAULT 0,
    -- 1 while only the survey knows it: counts and tokens are not known yet
    head INTEGER NOT NULL DEFAULT 1,
    messages INTEGER NOT NULL DEFAULT 0, users INTEGER NOT NULL DEFAULT 0, assistants INTEGER NOT NULL DEFAULT 0,
    tools INTEGER NOT NULL DEFAULT 0, parts INTEGER NOT NULL DEFAULT 0,
    input INTEGER, output INTEGER, reasoning INTEGER, cache_read INTEGER, cache_write INTEGER,
    compactions INTEGER NOT NULL DEFAULT 0, reverted INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0,
    damage INTEGER NOT NULL DEFAULT 0, condition TEXT NOT NULL DEFAULT 'finished',
    parent TEXT, parent_kind TEXT, parent_certainty TEXT, parent_evidence TEXT,
    facts TEXT, notices TEXT, branches TEXT, revision INTEGER NOT NULL DEFAULT 0,
    UNIQUE(store, native));
  -- The order of lists, and of hits that only filters name: the newest are found without sorting all.
  CREATE INDEX session_updated ON session(updated DESC, id);
  CREATE TABLE source_session(source INTEGER NOT NULL, session INTEGER NOT NULL, PRIMARY KEY(source, session)) WITHOUT ROWID;
  CREATE INDEX source_session_back ON source_session(session);
  CREATE TABLE evidence(session INTEGER NOT NULL, source INTEGER NOT NULL, slot TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY(session, source, slot)) WITHOUT ROWID;

  CREATE TABLE message(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, key NOT NULL, role INTEGER NOT NULL, time INTEGER,
    model INTEGER, agent INTEGER, flags INTEGER NOT NULL, first INTEGER NOT NULL,
    input INTEGER, output INTEGER, reasoning INTEGER, cache_read INTEGER, cache_write INTEGER);
  CREATE UNIQUE INDEX message_key ON message(key, session);
  CREATE INDEX message_session ON message(session);

  CREATE TABLE record(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, source INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
    key, parent INTEGER, missing, joins, message INTEGER, type INTEGER NOT NULL, time INTEGER, ord REAL, flags INTEGER NOT NULL, note TEXT);
  CREATE UNIQUE INDEX record_key ON record(session, key);

  CREATE TABLE part(id INTEGER PRIMARY KEY, session INTEGER NOT NULL, seq INTEGER NOT NULL, record INTEGER NOT NULL, block INTEGER NOT NULL,
    message INTEGER, kind INTEGER NOT NULL, state INTEGER NOT NULL, flags INTEGER NOT NULL, cause INTEGER, reason INTEGER,
    title TEXT, size INTEGER NOT NULL, digest INTEGER NOT NULL, added INTEGER, removed INTEGER,
    tool INTEGER, family INTEGER, status INTEGER, call TEXT, note INTEGER,
    result INTEGER, result_block INTEGER, result_size INTEGER, doc INTEGER, result_doc INTEGER);
  CREATE INDEX part_place ON part(session, seq);
  CREATE INDEX part_record ON part(record);
  -- Only calls still without a result: a result that comes later finds its call here.
  CREATE INDEX part_open_call ON part(session, call) WHERE call IS NOT NULL AND result IS NULL;

  CREATE TABLE edge(child INTEGER NOT NULL, parent TEXT NOT NULL, kind TEXT NOT NULL, certainty TEXT NOT NULL, evidence TEXT NOT NULL,
    after TEXT, call TEXT, inherited INTEGER NOT NULL DEFAULT 0, origin TEXT NOT NULL, PRIMARY KEY(child, parent, kind)) WITHOUT ROWID;
  CREATE INDEX edge_parent ON edge(parent);
  CREATE TABLE damage(id INTEGER PRIMARY KEY, store INTEGER NOT NULL, source INTEGER, session INTEGER, place TEXT NOT NULL, line INTEGER, at INTEGER,
    bytes INTEGER, reason TEXT NOT NULL);
  CREATE INDEX damage_source ON damage(source);
  CREATE INDEX damage_session ON damage(session);
  CREATE TABLE unknown_type(source INTEGER NOT NULL, type TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(source, type)) WITHOUT ROWID;

  -- Search: the text itself is in the log; a document is a part's own text (side 0) or its output (side 1).
  CREATE TABLE doc(id INTEGER PRIMARY KEY, part INTEGER NOT NULL, side INTEGER NOT NULL);
  CREATE VIRTUAL TABLE search USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
  -- Bytes of words held back before a segment is written: fewer segments are merged less often.
  INSERT INTO search(search, rank) VALUES('hashsize', 16777216);
  `,
  `
  -- What calls did to memory files, and the instructions that sessions recorded, over all sessions: few rows among many.
  CREATE INDEX IF NOT EXISTS evidence_memory ON evidence(slot) WHERE slot >= 'memory ' AND slot < 'memory!';
  CREATE INDEX IF NOT EXISTS evidence_instructions ON evidence(slot) WHERE slot >= 'instructions ' AND slot < 'instructions!';
  `,
  // Overlays (stores/omo): small files of a plugin about sessions of a store, and every version of them that was read.
  `
  CREATE TABLE IF NOT EXISTS overlay(id INTEGER PRIMARY KEY, root TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL, kind TEXT NOT NULL,
    stamp TEXT NOT NULL, changed INTEGER, problem TEXT, gone INTEGER, UNIQUE(root, path));
  CREATE TABLE IF NOT EXISTS overlay_version(id INTEGER PRIMARY KEY, overlay INTEGER NOT NULL REFERENCES overlay, time INTEGER NOT NULL,
    bytes INTEGER NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS overlay_newest ON overlay_version(overlay, id);
  `,
  // What is wrong at a part, and where in a timeline a damaged place lies: both written when a session is settled.
  `
  CREATE TABLE IF NOT EXISTS diagnosis(session INTEGER NOT NULL, part INTEGER NOT NULL, class TEXT NOT NULL, text TEXT NOT NULL, evidence TEXT NOT NULL, help TEXT NOT NULL,
    PRIMARY KEY(part, class)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS diagnosis_session ON diagnosis(session);
  CREATE TABLE IF NOT EXISTS damage_place(damage INTEGER PRIMARY KEY, before INTEGER NOT NULL, part INTEGER);
  CREATE TRIGGER IF NOT EXISTS damage_gone AFTER DELETE ON damage BEGIN DELETE FROM damage_place WHERE damage = old.id; END;
  `,
  // Who works in a session, beside its row: lists show it, and its facts are long.
  `
  CREATE TABLE IF NOT EXISTS session_agent(session INTEGER PRIMARY KEY, name TEXT NOT NULL);
  INSERT OR IGNORE INTO session_agent(session, name) SELECT id, json_extract(facts, '$.agentName') FROM session WHERE facts IS NOT NULL AND json_extract(facts, '$.agentName') IS NOT NULL;
  `,
  // Guarded writes (docs/writes.md): what was applied, step by step, and facts that only the library keeps. Never made anew from the log.
  `
  CREATE TABLE IF NOT EXISTS journal(id TEXT PRIMARY KEY, state TEXT NOT NULL, phase TEXT NOT NULL, plan TEXT NOT NULL, result TEXT,
    applied INTEGER NOT NULL, ended INTEGER, because TEXT NOT NULL, undone_by TEXT, backups INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS journal_applied ON journal(applied);
  CREATE TABLE IF NOT EXISTS journal_step(entry TEXT NOT NULL, step INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY(entry, step)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lineage_fact(store TEXT NOT NULL, child TEXT NOT NULL, parent TEXT NOT NULL, after TEXT, entry TEXT NOT NULL,
    PRIMARY KEY(store, child, parent)) WITHOUT ROWID;
  `,
  // What is left out of the library, streams that were emptied for it, and since when sessions are gone.
  `
  CREATE TABLE IF NOT EXISTS excluded(kind TEXT NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, folder TEXT, time INTEGER NOT NULL, PRIMARY KEY(kind, key)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS emptied(source INTEGER PRIMARY KEY, project TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS gone_since(session INTEGER PRIMARY KEY, time INTEGER NOT NULL);
  `,
];
