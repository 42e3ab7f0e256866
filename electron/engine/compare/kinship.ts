import { type CommonBeginning, nativeId, type SessionId, sessionId, splitSessionId, storeId } from '@shared/model';
import type { Db } from '../library/database';

/** An edge on the way from one session to another. */
export type KinEdge = CommonBeginning['edges'][number] & { evidence: string };

/** Generations that are walked up; longer chains of forks are not followed. */
const generations = 200;

/** Edges by which a session may hold what another said; a subagent begins with its task alone. */
const passing = "('fork', 'resume', 'import', 'handoff')";

interface Step {
  session: SessionId;
  edges: KinEdge[];
}

/** The edges that connect two sessions of one store, up from the first to an ancestor of both and down to the second; null when none do. */
export function kinship(db: Db, a: SessionId, b: SessionId): KinEdge[] | null {
  const [up, other] = [ancestors(db, a), ancestors(db, b)];
  let nearest: KinEdge[] | null = null;
  for (const { session, edges } of up) {
    const down = other.find((step) => step.session === session);
    if (down && (nearest === null || edges.length + down.edges.length < nearest.length)) nearest = [...edges, ...down.edges.toReversed()];
  }
  return nearest;
}

/** A session and those it comes from, nearest first. */
function ancestors(db: Db, start: SessionId): Step[] {
  const up = db.prepare<[string, string], Pick<KinEdge, 'kind' | 'certainty' | 'evidence'> & { parent: string }>(
    `SELECT e.parent, e.kind, e.certainty, e.evidence FROM session c JOIN store st ON st.id = c.store JOIN edge e ON e.child = c.id
     WHERE st.key = ? AND c.native = ? AND e.kind IN ${passing} ORDER BY e.certainty DESC, e.parent`,
  );
  const steps: Step[] = [{ session: start, edges: [] }];
  const seen = new Set<SessionId>([start]);
  for (const step of steps) {
    const place = splitSessionId(step.session);
    if (!place || steps.length >= generations) continue;
    for (const { parent, kind, certainty, evidence } of up.all(place.store, place.native)) {
      const session = sessionId(storeId(place.store), nativeId(parent));
      if (seen.has(session)) continue;
      seen.add(session);
      steps.push({ session, edges: [...step.edges, { child: step.session, parent: session, kind, certainty, evidence }] });
    }
  }
  return steps;
}
