import { useState } from 'react';
import { agents, type KeptOf } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatBytes, formatCount } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { agentNames } from '../../ui/words';
import { exclude, include } from './keeping';

/** Rows that are drawn before one asks for all. */
const shownFirst = 12;

/** Sessions and room by agent or by project, with what can be done to each. */
export function KeptTable({ title, kind, rows, total }: { title: string; kind: 'agent' | 'project'; rows: KeptOf[]; total: number }) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, shownFirst);
  return (
    <section className="settings-part" aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 ? (
        <p className="soft">The library has nothing yet.</p>
      ) : (
        <>
          <div className="settings-table" role="region" aria-label={`${title}, table`} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{kind === 'agent' ? 'Agent' : 'Project'}</th>
                  <Figure head="Sessions" />
                  <Figure head="Gone" hint="Sessions that only the library has" />
                  <Figure head="Read" hint="What was read, before it was packed" />
                  <Figure head="Log" hint="The same, packed: exact" />
                  <Figure head="Words ≈" hint="Its share of the search index, by what was searched" />
                  <Figure head="Rows ≈" hint="Its share of the tables, by rows" />
                  <th scope="col">
                    <span className="unseen">Acts</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map((row) => (
                  <tr key={row.key ?? ''} data-excluded={row.excluded || undefined}>
                    <th scope="row">
                      <Name row={row} kind={kind} />
                    </th>
                    <td className="settings-figure number">{formatCount(row.sessions)}</td>
                    <td className="settings-figure number">{formatCount(row.gone)}</td>
                    <td className="settings-figure number">{formatBytes(row.read)}</td>
                    <td className="settings-figure number">{formatBytes(row.log)}</td>
                    <td className="settings-figure number soft">{formatBytes(row.words)}</td>
                    <td className="settings-figure number soft">{formatBytes(row.rows)}</td>
                    <td className="settings-act">{row.key !== null && <Act row={row} target={{ kind, key: row.key }} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {rows.length > shown.length && (
            <button type="button" className="text-button" onClick={() => setAll(true)}>
              Show {formatCount(rows.length - shown.length)} more
            </button>
          )}
          {total > rows.length && <p className="soft">and {formatCount(total - rows.length)} more that are smaller</p>}
        </>
      )}
    </section>
  );
}

function Figure({ head, hint }: { head: string; hint?: string }) {
  return (
    <th scope="col" className="settings-figure" title={hint}>
      {head}
    </th>
  );
}

function Name({ row: { key, name, folder, agents: marks, excluded }, kind }: { row: KeptOf; kind: 'agent' | 'project' }) {
  const agent = agents.find((each) => each === key);
  return (
    <span className="settings-name">
      <span className="settings-title">
        {kind === 'project' ? marks.map((mark) => <AgentMark key={mark} agent={mark} />) : agent && <AgentMark agent={agent} />}
        <span>{kind === 'agent' && agent ? agentNames[agent] : visibleControls(name)}</span>
        {excluded && <span className="settings-badge">excluded</span>}
      </span>
      {folder !== null && <code className="soft break">{visibleControls(folder)}</code>}
    </span>
  );
}

function Act({ row: { name, excluded }, target }: { row: KeptOf; target: { kind: 'agent' | 'project'; key: string } }) {
  return (
    <button type="button" className="button" onClick={() => void (excluded ? include : exclude)(target)}>
      {excluded ? 'Include' : 'Exclude'}
      <span className="unseen"> {name}</span>
    </button>
  );
}
