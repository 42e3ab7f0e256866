import type { SessionFacts } from '../stores/store';
import type { Db } from './database';
import type { Library } from './library';
import { projectOf } from './project-identity';

/** The rules that sessions are filed by (project-identity.ts). A higher number files those again that are in the library. */
const rules = 2;

interface ProjectRow {
  id: number;
  folder: string | null;
}

/** The projects of the library: sessions are filed by what is recorded of them. Nothing is looked up on disk. */
export class Projects {
  readonly #find;
  readonly #insert;
  readonly #spell;

  constructor(db: Db) {
    this.#find = db.prepare<[string], ProjectRow>('SELECT id, folder FROM project WHERE key = ?');
    this.#insert = db.prepare('INSERT INTO project(key, name, folder) VALUES (?, ?, ?)');
    this.#spell = db.prepare('UPDATE project SET name = ?, folder = ? WHERE id = ?');
  }

  /** The row of the project a session belongs to, made when new. */
  idOf(session: Pick<SessionFacts, 'directory' | 'projectFolder' | 'own'>): number {
    const { key, name, folder } = projectOf(session);
    const known = this.#find.get(key);
    if (!known) return Number(this.#insert.run(key, name, folder).lastInsertRowid);
    // Of several spellings the first by its characters is shown, so that it does not hang on what was read first.
    if (folder !== null && known.folder !== null && folder < known.folder) this.#spell.run(name, folder, known.id);
    return known.id;
  }
}

/** Files the sessions of a library again that other rules filed; says whether there was anything to do. */
export function fileAgain(library: Library): boolean {
  if (library.meta('project rules') === rules) return false;
  const { db } = library;
  const projects = new Projects(db);
  const facts = db.prepare<[number], { directory: string | null; facts: string | null }>('SELECT directory, facts FROM session WHERE id = ?');
  const place = db.prepare('UPDATE session SET project = ? WHERE id = ?');
  const sessions = db.prepare('SELECT id FROM session').pluck().all() as number[];
  db.transaction(() => {
    for (const id of sessions) {
      const row = facts.get(id);
      if (row) place.run(projects.idOf(row.facts === null ? { directory: row.directory } : (JSON.parse(row.facts) as SessionFacts)), id);
    }
    db.prepare('DELETE FROM project WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.project = project.id)').run();
    library.setMeta('project rules', rules);
  })();
  return sessions.length > 0;
}
