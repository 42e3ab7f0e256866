import type { StoreStatus } from '@shared/contract';
import { refine, useRoute } from '../../app/route';
import { useEngine } from '../../app/engine';
import { Blank } from '../../ui/Blank';
import { openImport } from '../share/import/state';
import { agentNames } from '../../ui/words';

const why: Record<StoreStatus['origin'], string> = { default: 'the usual place', environment: 'named in the environment', added: 'added by you', import: 'imported' };

/** No session at all: what was looked for, where, and how to add a place. */
export function NoAgents() {
  const info = useEngine((engine) => engine.info);
  const facets = useEngine((engine) => engine.facets);
  const archived = useRoute(({ library }) => library.archived);
  if (!info) return null;
  if (facets && facets.archived > 0 && archived === 'hide') {
    return (
      <Blank
        title="Everything is archived"
        action={
          <button type="button" className="button" onClick={() => refine({ archived: 'include' })}>
            Show archived sessions
          </button>
        }
      >
        <p>The agents here have only archived sessions.</p>
      </Blank>
    );
  }
  const found = info.stores.filter((store) => store.found);
  return (
    <Blank
      title={found.length > 0 ? 'No sessions yet' : 'No agents found'}
      action={
        <button type="button" className="button" onClick={openImport}>
          Import a session…
        </button>
      }
    >
      <p>{found.length > 0 ? 'These places hold no session:' : 'Retrace looked for the histories of coding agents here:'}</p>
      <ul className="looked">
        {(found.length > 0 ? found : info.stores).map((store) => (
          <li key={store.id}>
            <span>{agentNames[store.agent]}</span>
            <code>{store.folder}</code>
            <span>{store.problem ?? `${store.found ? 'empty' : 'not there'}; ${why[store.origin]}`}</span>
          </li>
        ))}
      </ul>
      <p>
        To read another home, start with <code>npm start -- --home DIR</code>. To look for Aider histories in a folder, add it with <code>--add DIR</code>.
      </p>
    </Blank>
  );
}
