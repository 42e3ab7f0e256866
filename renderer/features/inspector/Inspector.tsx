import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { useRoute } from '../../app/route';
import { recall, remember } from '../../ui/remembered';
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

/** The right pane: what is known of the open session beside its parts. */
export function Inspector() {
  const detail = useSession((session) => session.detail);
  const searching = useRoute(({ view }) => view.kind === 'search');
  const [tab, setTab] = useState<string>(() => recall('inspector', (value) => tabs.find((each) => each.value === value)?.value ?? null) ?? 'overview');
  const choose = (value: string) => {
    setTab(value);
    remember('inspector', value);
  };
  return (
    <section className="inspector" aria-label="Inspector">
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
