import type { ForgetOutcome, ForgetPlan, ForgetTarget } from '@shared/model';
import type { SessionStore } from '../../stores/store';
import type { Library } from '../library';
import { Exclusions } from './exclusions';
import { ForgetSet } from './forget-set';
import { dueSessions, keepDays } from './keep-rule';
import { Streams } from './streams';

type StoreOf = (agent: string) => SessionStore | undefined;

function forgetSet({ db, file }: Library, target: ForgetTarget, storeOf: StoreOf, now: number): ForgetSet {
  return new ForgetSet(db, file, target, new Exclusions(db), storeOf, dueSessions(db, keepDays(db), now));
}

/** What forgetting would take out. Nothing is changed. */
export const planForget = (library: Library, target: ForgetTarget, storeOf: StoreOf, now: number): ForgetPlan => forgetSet(library, target, storeOf, now).plan();

/** Takes it out of the library, when it is still as the plan said. What was forgotten leaves the file itself when that is compacted. */
export function forget(library: Library, target: ForgetTarget, token: string, storeOf: StoreOf, now: number): ForgetOutcome {
  const set = forgetSet(library, target, storeOf, now);
  const plan = set.plan();
  if (plan.token !== token) {
    plan.refusals.push({ reason: 'changed', text: 'What would go is not what was shown any more. Look at it again.', sessions: [], total: 0 });
  }
  if (plan.refusals.length > 0) return { applied: false, plan };
  library.db.transaction(() => takeOut(library.db, set))();
  library.words.forget();
  return { applied: true, plan };
}

function takeOut(db: Library['db'], set: ForgetSet): void {
  const streams = new Streams(db);
  const sources = db.prepare<[string], { id: number; gone: number; newest: number; key: string; agent: string; project: string | null }>(
    `SELECT s.id, s.gone, s.generation = (SELECT max(n.generation) FROM source n WHERE n.store = s.store AND n.key = s.key) AS newest, st.key, st.agent,
       (SELECT p.key FROM source o JOIN source_session x ON x.source = o.id JOIN session e ON e.id = x.session JOIN project p ON p.id = e.project WHERE o.store = s.store AND o.key = s.key LIMIT 1) AS project
     FROM json_each(?) j JOIN source s ON s.id = j.value JOIN store st ON st.id = s.store`,
  );
  const documents = documentsOf(db, set);
  for (const { id, gone, newest, key, agent, project } of sources.all(JSON.stringify([...set.sources]))) {
    // Of a project that is left out the place in the file stays known, or a survey would find it new in each pass.
    streams.drop(id, newest !== 0 && gone === 0 && !set.exclusions.coversStore({ key, agent }) ? (project ?? (set.target.kind === 'project' ? set.target.key : '')) : null);
  }
  for (const session of set.sessions) streams.dropSession(session, documents.get(session));
  for (const overlay of set.overlays) {
    db.prepare('DELETE FROM overlay_version WHERE overlay = ?').run(overlay);
    db.prepare('DELETE FROM overlay WHERE id = ?').run(overlay);
  }
  db.prepare('DELETE FROM project WHERE NOT EXISTS (SELECT 1 FROM session WHERE session.project = project.id)').run();
}

/** All documents of these sessions, also those that no part points at any more. */
function documentsOf(db: Library['db'], { sessions }: ForgetSet): Map<number, number[]> {
  const found = new Map<number, number[]>([...sessions].map((id) => [id, []]));
  const rows = db.prepare('SELECT d.id, p.session FROM doc d JOIN part p ON p.id = d.part WHERE p.session IN (SELECT value FROM json_each(?))').all(JSON.stringify([...sessions])) as { id: number; session: number }[];
  for (const { id, session } of rows) found.get(session)?.push(id);
  return found;
}
