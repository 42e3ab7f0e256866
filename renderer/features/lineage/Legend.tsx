import { type EdgeKind, edgeKinds, type Family } from '@shared/model';
import { EdgeSign } from '../../ui/signs';
import { edgeChild } from '../../ui/words';

/** What the lines of this map mean: only kinds that it has. */
export function Legend({ family }: { family: Family }) {
  const kinds = new Set(family.edges.map(({ kind }) => kind));
  const inferred = family.edges.some(({ certainty }) => certainty === 'inferred');
  const branches = family.sessions.some((session) => session.branches.length > 0);
  if (kinds.size === 0 && !branches) return null;
  return (
    <ul className="map-legend" aria-label="Legend">
      {edgeKinds.filter((kind) => kinds.has(kind)).map((kind) => (
        <li key={kind}>
          <Sample kind={kind} />
          <EdgeSign kind={kind} />
          {edgeChild[kind]}
        </li>
      ))}
      {inferred && (
        <li>
          <Sample kind="fork" certainty="inferred" />
          dashed: inferred
        </li>
      )}
      {branches && (
        <li>
          <svg width={26} height={12} aria-hidden className="map-stub-lines">
            <path d="M0 2 C14 2 10 9 26 9" />
          </svg>
          branch inside a session
        </li>
      )}
    </ul>
  );
}

function Sample({ kind, certainty = 'recorded' }: { kind: EdgeKind; certainty?: 'recorded' | 'inferred' }) {
  return (
    <svg width={26} height={12} aria-hidden>
      <g className="kin" data-kind={kind} data-certainty={certainty}>
        <path className="kin-line" d="M0 6 H26" />
        {kind === 'import' && <path className="kin-core" d="M0 6 H26" />}
      </g>
    </svg>
  );
}
