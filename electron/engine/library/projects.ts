import type { SessionFacts } from '../stores/store';
import type { Db } from './database';

/** Sessions are grouped by the folder they were recorded in; a worktree or a moved folder says where it belongs. Nothing is looked up on disk. */
export class Projects {
  readonly #find;
  readonly #insert;

  constructor(db: Db) {
    this.#find = db.prepare<[string], { id: number }>('SELECT id FROM project WHERE key = ?');
    this.#insert = db.prepare('INSERT INTO project(key, name, folder) VALUES (?, ?, ?)');
  }

  /** The row of the project a session belongs to, made when new. */
  idOf({ directory, projectFolder }: Pick<SessionFacts, 'directory' | 'projectFolder'>): number {
    const folder = projectFolder ?? directory;
    const key = folder === null ? '' : trimmed(folder);
    const name = folder === null ? 'no folder recorded' : key.split(/[/\\]/).at(-1) || key;
    return this.#find.get(key)?.id ?? Number(this.#insert.run(key, name, folder === null ? null : key).lastInsertRowid);
  }
}

const trimmed = (folder: string): string => (folder.length > 1 ? folder.replace(/[/\\]+$/, '') : folder);
