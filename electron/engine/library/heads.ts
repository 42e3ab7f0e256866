import type { NativeId } from '@shared/model';
import type { SessionHead } from '../stores/store';
import type { Db } from './database';
import { projectOf } from './project-identity';
import { Projects } from './projects';

/** Makes rows for sessions that only a survey has seen, so that a list stands before the index. A session that was read is left alone, one of a project that is left out is not listed. */
export function writeHeads(db: Db, store: number, heads: SessionHead[], revision: number, leftOut: (project: string) => boolean): void {
  const write = db.prepare(
    `INSERT INTO session(store, native, kind, title, directory, project, branch, model, created, updated, archived, parent, parent_kind, parent_certainty, parent_evidence, revision)
     VALUES (@store, @native, @kind, @title, @directory, @project, @gitBranch, @model, @created, @updated, @archived, @parent, @edge, @certainty, @evidence, @revision)
     ON CONFLICT(store, native) DO UPDATE SET title = excluded.title, directory = excluded.directory, project = excluded.project, branch = excluded.branch,
       model = excluded.model, created = excluded.created, updated = excluded.updated, archived = excluded.archived, revision = excluded.revision WHERE head = 1`,
  );
  const projects = new Projects(db);
  const known = new Map<string | null, number>();
  for (const head of heads) {
    if (leftOut(projectOf(head).key)) continue;
    let project = known.get(head.directory);
    if (project === undefined) {
      project = projects.idOf(head);
      known.set(head.directory, project);
    }
    const edge = head.parent === null ? null : 'subagent';
    write.run({ ...head, store, project, edge, certainty: edge && 'recorded', evidence: edge && 'filed under its parent', revision });
  }
}

/** Forgets a session that only a survey has seen, when its source was gone before anything of it was read. */
export function dropHead(db: Db, store: number, native: NativeId): void {
  db.prepare('DELETE FROM session WHERE store = ? AND native = ? AND head = 1 AND NOT EXISTS (SELECT 1 FROM source_session WHERE source_session.session = session.id)').run(store, native);
}
