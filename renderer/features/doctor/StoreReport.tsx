import { TriangleAlert } from 'lucide-react';
import type { SkippedPlace, StoreExamination } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { agentNames } from '../../ui/words';

/** Rows of a list that are drawn; the rest is counted, and the command line has it. */
const listed = 200;

/** One store: what was read, what was skipped and why, what is worth knowing, and what takes the room. */
export function StoreReport({ store }: { store: StoreExamination }) {
  const { agent, location, problem, sessions, read, skipped, skippedTotal, notices } = store;
  return (
    <section className="doctor-store" aria-label={`${agentNames[agent]}, ${location}`}>
      <h2>
        <AgentMark agent={agent} />
        <span>{agentNames[agent]}</span>
        <code className="soft break">{visibleControls(location)}</code>
      </h2>
      <p className="number">
        {countOf(sessions, 'session')}; read {countOf(read.records, 'record')} of {countOf(read.sources, 'source')}, {formatBytes(read.bytes)}
      </p>
      {!store.found && <p className="doctor-problem">This place is not there any more; the library keeps its sessions.</p>}
      {problem !== null && (
        <p className="doctor-problem" role="note">
          <TriangleAlert size={13} aria-hidden /> {visibleControls(problem)}
        </p>
      )}
      {skipped.length > 0 ? <Skipped places={skipped} total={skippedTotal} of={agentNames[agent]} /> : problem === null && store.found && <p className="doctor-well">No place was skipped.</p>}
      {notices.length > 0 && (
        <>
          <h3>Worth knowing</h3>
          <ul className="notice-list">
            {notices.map((notice) => (
              <li key={notice}>{visibleControls(notice)}</li>
            ))}
          </ul>
        </>
      )}
      <Gone gone={store.gone} />
      <Sizes sizes={store.sizes} />
    </section>
  );
}

function Skipped({ places, total, of }: { places: SkippedPlace[]; total: number; of: string }) {
  return (
    <>
      <h3>{countOf(total, 'skipped place')}</h3>
      <div className="doctor-table" role="region" aria-label={`Skipped places of ${of}`} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col" className="doctor-figure">
                Line
              </th>
              <th scope="col" className="doctor-figure">
                Byte
              </th>
              <th scope="col" className="doctor-figure">
                Size
              </th>
              <th scope="col">Reason</th>
            </tr>
          </thead>
          <tbody>
            {places.slice(0, listed).map((place, at) => (
              <tr key={at}>
                <td>
                  <PlaceName place={place} />
                </td>
                <td className="doctor-figure number">{place.line === null ? '' : formatCount(place.line)}</td>
                <td className="doctor-figure number">{place.at === null ? '' : formatCount(place.at)}</td>
                <td className="doctor-figure number">{place.bytes === null ? '' : formatBytes(place.bytes)}</td>
                <td>{visibleControls(place.reason)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > listed && <p className="soft">and {formatCount(total - listed)} more</p>}
    </>
  );
}

function PlaceName({ place: { file, session, part } }: { place: SkippedPlace }) {
  const name = <code className="break">{visibleControls(file)}</code>;
  if (session === null) return name;
  return (
    <button type="button" className="text-button" title={part === null ? 'Open the session' : 'Go to its place in the session'} onClick={() => show({ kind: 'session', session, part })}>
      {name}
    </button>
  );
}

function Gone({ gone }: { gone: StoreExamination['gone'] }) {
  if (gone.total === 0) return null;
  return (
    <details>
      <summary>Sessions whose source is gone ({formatCount(gone.total)})</summary>
      <ul className="notice-list">
        {gone.sessions.map((session) => (
          <li key={session}>
            <button type="button" className="text-button" onClick={() => show({ kind: 'session', session, part: null })}>
              <code className="break">{visibleControls(session)}</code>
            </button>
          </li>
        ))}
      </ul>
      {gone.total > gone.sessions.length && <p className="soft">and {formatCount(gone.total - gone.sessions.length)} more</p>}
    </details>
  );
}

function Sizes({ sizes }: { sizes: StoreExamination['sizes'] }) {
  if (sizes.length === 0) return null;
  return (
    <details>
      <summary>Sizes by record type</summary>
      <table className="doctor-sizes">
        <thead>
          <tr>
            <th scope="col">Type</th>
            <th scope="col" className="doctor-figure">
              Records
            </th>
            <th scope="col" className="doctor-figure">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {sizes.map(({ type, records, bytes }) => (
            <tr key={type}>
              <td>
                <code className="break">{visibleControls(type)}</code>
              </td>
              <td className="doctor-figure number">{formatCount(records)}</td>
              <td className="doctor-figure number">{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
