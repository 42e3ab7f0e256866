import { type ExportLook, type Finding, type FindingClass, findingClasses } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { closeExport, toggleKept, useExport } from './state';
import { classWords } from './words';

/** Findings drawn of one class, and places of one finding. */
const drawn = 50;
const placesDrawn = 5;

/** What was found, by class: each value can be kept or masked, or all of a class. */
export function Findings({ look }: { look: ExportLook }) {
  const redact = useExport(({ choice }) => choice.redact);
  if (!redact) return <p className="export-warning" role="note">Nothing is masked: the file holds what the session holds, secrets included.</p>;
  if (look.findingsTotal === 0) return <p className="soft">Nothing to mask was found.</p>;
  return (
    <>
      <h3>Found</h3>
      {findingClasses.map((kind) => (
        <ClassOf key={kind} kind={kind} findings={look.findings.filter((finding) => finding.class === kind)} />
      ))}
      {look.findingsTotal > look.findings.length && <p className="soft">{countOf(look.findingsTotal - look.findings.length, 'more value')} are masked and not named here.</p>}
    </>
  );
}

function ClassOf({ kind, findings }: { kind: FindingClass; findings: Finding[] }) {
  const keep = useExport(({ choice }) => choice.keep);
  if (findings.length === 0) return null;
  const kept = keep.includes(kind);
  return (
    <div className="export-class">
      <details open={kind === 'secret' || findings.length <= 3}>
        <summary>
          {countOf(findings.length, ...classWords[kind])} <span className="soft">in {countOf(findings.reduce((sum, { count }) => sum + count, 0), 'place')}</span>
        </summary>
        <ul>
          {findings.slice(0, drawn).map((finding) => (
            <Found key={finding.id} finding={finding} fixed={kept} />
          ))}
        </ul>
        {findings.length > drawn && <p className="soft">and {findings.length - drawn} more</p>}
      </details>
      <button type="button" className="text-button export-all" aria-pressed={kept} aria-label={`${kept ? 'Mask' : 'Keep'} all ${classWords[kind][1]}`} onClick={() => toggleKept(kind)}>
        {kept ? 'Mask all' : 'Keep all'}
      </button>
    </div>
  );
}

function Found({ finding, fixed }: { finding: Finding; fixed: boolean }) {
  const { id, name, hint, mask, kept, count, places } = finding;
  return (
    <li className="export-finding" data-kept={kept || undefined}>
      <div>
        <span className="one-line">
          {finding.class === 'secret' ? `${name} ` : ''}
          <code>{visibleControls(hint)}</code> <span className="soft">{kept ? 'stays' : <>becomes <code>{mask}</code></>} · {countOf(count, 'place')}</span>
        </span>
        {!fixed && (
          <button type="button" className="text-button" aria-pressed={kept} aria-label={`${kept ? 'Mask' : 'Keep'} ${name} ${visibleControls(hint)}`} onClick={() => toggleKept(id)}>
            {kept ? 'Mask' : 'Keep'}
          </button>
        )}
      </div>
      <ul>
        {places.slice(0, placesDrawn).map((place, at) => (
          <li key={at} className="soft one-line">
            {place.part === null ? (
              'beside the messages: '
            ) : (
              <button type="button" className="text-button" onClick={() => { closeExport(); show({ kind: 'session', session: place.session, part: place.part }); }}>
                part {(place.index ?? 0) + 1}
              </button>
            )}{' '}
            {visibleControls(place.excerpt)}
          </li>
        ))}
      </ul>
    </li>
  );
}
