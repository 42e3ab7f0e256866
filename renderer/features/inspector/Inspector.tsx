import { Tabs } from 'radix-ui';
import { useState } from 'react';
import type { SessionDetail } from '@shared/model';
import { show, useRoute } from '../../app/route';
import { AgentMark } from '../../ui/marks';
import { recall, remember } from '../../ui/remembered';
import { titleOf } from '../library/TreeRow';
import { useSession } from '../timeline/state';
import { ContextTab } from '../lens/ContextTab';
import { FilesTab } from '../diff/FilesTab';
import { Lineage } from './Lineage';
import { Overview } from './Overview';
import { Work } from './Work';

const tabs = [
  { value: 'overview', label: 'Overview', Content: Overview },
  { value: 'context', label: 'Context', Content: ContextTab },
  { value: 'files', label: 'Files', Content: FilesTab },
  { value: 'lineage', label: 'Lineage', Content: Lineage },
  { value: 'work', label: 'Work', Content: Work },
] as const;

/** Of which session the facts are, where the middle shows something else; back to it. */
function About({ detail: { summary } }: { detail: SessionDetail }) {
  return (
    <p className="inspector-about">
      <AgentMark agent={summary.agent} writtenBy={summary.writtenBy} />
      <button type="button" className="text-button one-line" title={`Back to ${titleOf(summary)}`} onClick={() => show({ kind: 'session', session: summary.id, part: null }, { returned: true })}>
        {titleOf(summary)}
      </button>
    </p>
  );
}

/** The right pane: what is known of the open session beside its parts. */
export function Inspector() {
  const detail = useSession((session) => session.detail);
  const searching = useRoute(({ view }) => view.kind === 'search');
  const elsewhere = useRoute(({ view }) => view.kind !== 'session');
  const [tab, setTab] = useState<string>(() => recall('inspector', (value) => tabs.find((each) => each.value === value)?.value ?? null) ?? 'overview');
  const choose = (value: string) => {
    setTab(value);
    remember('inspector', value);
  };
  return (
    <section className="inspector" aria-label="Inspector">
      {detail && !searching && elsewhere && <About detail={detail} />}
      {detail && !searching ? (
        <Tabs.Root value={tab} onValueChange={choose} className="tabs">
          <Tabs.List className="tab-list" aria-label="Inspector">
            {tabs.map(({ value, label }) => (
              <Tabs.Trigger key={value} value={value} className="tab">
                {label}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          {tabs.map(({ value, Content }) => (
            <Tabs.Content key={value} value={value} className="tab-content">
              <Content detail={detail} />
            </Tabs.Content>
          ))}
        </Tabs.Root>
      ) : (
        <p className="soft inspector-empty">{searching ? 'Open a hit to see the facts of its session.' : 'Facts about the open session stand here.'}</p>
      )}
    </section>
  );
}
