import type { SessionDetail } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { formatMinute } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { agentNames } from '../../ui/words';
import { forkNow } from '../plans/acts';
import { Facts, Section } from './Section';

/** Where an imported session came from, and the same session elsewhere. */
export function Imported({ detail: { summary, imported, twins } }: { detail: SessionDetail }) {
  if (imported === null && twins.length === 0) return null;
  const writer = agentNames[summary.writtenBy];
  return (
    <Section title={imported === null ? 'Imported, too' : imported.kind === 'fork' ? 'Forked in the library' : 'Imported'}>
      {imported !== null && (
        <Facts
          rows={[
            ['Transcript of', <span key="agent" className="imported-agent"><AgentMark agent={summary.writtenBy} /> {writer}</span>],
            ['What', imported.kind === 'fork' ? null : visibleControls(imported.kind)],
            ['From', <code key="from" className="break">{visibleControls(imported.from)}</code>],
            [imported.kind === 'fork' ? 'Forked' : 'Imported', formatMinute(imported.imported)],
          ]}
        />
      )}
      {imported !== null && (
        <p>
          <button type="button" className="button" onClick={forkNow}>
            Continue in {writer}…
          </button>
        </p>
      )}
      {twins.map((twin) => (
        <p key={twin}>
          <button type="button" className="text-button" onClick={() => show({ kind: 'session', session: twin, part: null })}>
            {imported === null ? 'The import of this session' : `The same session in the store of ${writer}`}
          </button>
        </p>
      ))}
      {imported !== null && imported.notes.length > 0 && (
        <ul className="notice-list" aria-label="Notes of the import">
          {imported.notes.slice(0, 20).map((note, at) => (
            <li key={at}>{visibleControls(note)}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}
