import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { Group, Panel, Separator, useDefaultLayout, usePanelCallbackRef } from 'react-resizable-panels';
import { CompareView } from '../features/compare/CompareView';
import { ComparePicker } from '../features/compare/ComparePicker';
import { FilesView } from '../features/diff/FilesView';
import { DoctorView } from '../features/doctor/DoctorView';
import { Inspector } from '../features/inspector/Inspector';
import { LibraryPane } from '../features/library/LibraryPane';
import { isFiltered } from '../features/library/Filters';
import { NoAgents } from '../features/library/NoAgents';
import { revealSession, useLibrary } from '../features/library/rows';
import { MemoryView } from '../features/memory/MemoryView';
import { WorkView } from '../features/work/WorkView';
import { JournalNotice } from '../features/plans/JournalNotice';
import { JournalView } from '../features/plans/JournalView';
import { PlanSheet } from '../features/plans/PlanSheet';
import { ForgetSheet } from '../features/settings/ForgetSheet';
import { DropTarget } from '../features/share/import/DropTarget';
import { ImportSheet } from '../features/share/import/ImportSheet';
import { LibrarySettings } from '../features/settings/LibrarySettings';
import { ExportSheet } from '../features/share/ExportSheet';
import { SearchView } from '../features/search/SearchView';
import { closeSession, noSuchPart, openSession, showPart } from '../features/timeline/session';
import { useSession } from '../features/timeline/state';
import { SessionView } from '../features/timeline/SessionView';
import type { PartId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../rpc';
import { Blank } from '../ui/Blank';
import { Hint } from '../ui/Hint';
import { say, useToast } from '../ui/toast';
import { useEngine } from './engine';
import { ErrorBoundary } from './ErrorBoundary';
import { holdPanel, type Side } from './frame';
import { Header } from './Header';
import { KeysSheet } from './KeysSheet';
import { LinkNotice } from './LinkNotice';
import { Palette } from './Palette';
import { isAside, useRoute } from './route';
import { formatAddress, type View } from './address';
import { keyPieces } from './keys';

/** Loaded when it is first shown: the graph library is not for the first content of the page. */
const MapView = lazy(async () => ({ default: (await import('../features/lineage/MapView')).MapView }));

/** Windows narrower than this, px, begin without the inspector; what one makes of them is remembered apart. */
const narrowBelow = 1_100;

/** The page: header, three panes, and what lies over them. */
export function App() {
  const view = useRoute((route) => route.view);
  const [narrow] = useState(() => innerWidth < narrowBelow);
  const layout = useDefaultLayout({ id: narrow ? 'retrace.panes.narrow' : 'retrace.panes', storage: localStorage });
  useOpenSession(view);
  return (
    <div className="app">
      <Header />
      <LinkNotice />
      <JournalNotice />
      <Group className="panes" {...layout} orientation="horizontal">
        <SidePanel side="library" size={narrow ? '32' : '24'} min="236px" max="46">
          <ErrorBoundary what="the library" retryOn={view}>
            <LibraryPane />
          </ErrorBoundary>
        </SidePanel>
        <Separator className="separator" aria-label="Width of the library" />
        <Panel id="middle" minSize="480px" className="pane-middle">
          <main className="middle">
            <ErrorBoundary what="this view" retryOn={view}>
              <Middle view={view} />
            </ErrorBoundary>
          </main>
        </Panel>
        <Separator className="separator" aria-label="Width of the inspector" />
        <SidePanel side="inspector" size={narrow ? '0' : '20'} min="220px" max="40">
          <ErrorBoundary what="the inspector" retryOn={view}>
            <Inspector />
          </ErrorBoundary>
        </SidePanel>
      </Group>
      <Palette />
      <KeysSheet />
      <ComparePicker />
      <ForgetSheet />
      <ImportSheet />
      <DropTarget />
      <ExportSheet />
      <PlanSheet />
      <Hint />
      <Toast />
    </div>
  );
}

function SidePanel({ side, size, min, max, children }: { side: Side; size: string; min: string; max: string; children: React.ReactNode }) {
  const [panel, setPanel] = usePanelCallbackRef();
  useEffect(() => {
    holdPanel(side, panel);
    return () => holdPanel(side, null);
  }, [side, panel]);
  return (
    <Panel id={side} panelRef={setPanel} defaultSize={size} minSize={min} maxSize={max} collapsible groupResizeBehavior="preserve-pixel-size" className={`pane-${side}`}>
      {children}
    </Panel>
  );
}

function Middle({ view }: { view: View }) {
  switch (view.kind) {
    case 'search':
      return <SearchView />;
    case 'memory':
      return <MemoryView project={view.project} />;
    case 'doctor':
      return <DoctorView />;
    case 'library':
      return <LibrarySettings />;
    case 'journal':
      return <JournalView entry={view.entry} />;
    case 'compare':
      return <CompareView view={view} />;
    case 'work':
      return <WorkView project={view.project} plan={view.plan} />;
    case 'session':
      return <SessionView />;
    case 'map':
      return (
        <Suspense fallback={<div aria-busy="true" />}>
          <MapView session={view.session} />
        </Suspense>
      );
    case 'files':
      return <FilesView session={view.session} scope={view.scope} file={view.file} />;
    case 'home':
      return <Home />;
  }
}

function Home() {
  const nothing = useLibrary(({ loaded, total }) => loaded && total === 0);
  const library = useRoute((route) => route.library);
  const running = useEngine((engine) => engine.progress?.running === true);
  // A filter that matches nothing is told beside the filters, a first pass beside the list that it fills.
  if (nothing) return running || isFiltered(library) ? null : <NoAgents />;
  return (
    <Blank title="Choose a session">
      <p>
        Its parts stand here. <kbd>/</kbd> searches every part of every session, {keyPieces('mod+k').map((piece) => <kbd key={piece}>{piece}</kbd>)} lists what can be done.
      </p>
    </Blank>
  );
}

/** Opens what the address names; a part of the session that is open already is only gone to. */
function useOpenSession(view: View): void {
  const key = isAside(view) ? null : formatAddressOf(view);
  /** The part that the address of the open session named last. */
  const named = useRef<PartId | null>(null);
  useEffect(() => {
    const { view: now, returned } = useRoute.getState();
    if (now.kind === 'home') closeSession();
    if (now.kind !== 'session' && now.kind !== 'map' && now.kind !== 'files') return;
    const { id, phase } = useSession.getState();
    if (now.kind === 'map' || now.kind === 'files') {
      // The inspector tells about it, and going back finds it open.
      if (id === now.session) return;
      void openSession(now.session, null);
      void revealSession(now.session);
      return;
    }
    if (id === now.session && phase === 'ready') {
      if (now.part !== null && !(returned && now.part === named.current)) void goToPart(now.part);
    } else {
      void openSession(now.session, now.part);
    }
    named.current = now.part;
    void revealSession(now.session);
  }, [key]);
}

const formatAddressOf = (view: View): string => formatAddress({ ...useRoute.getState(), view }).split('?')[0] ?? '';

async function goToPart(part: Parameters<typeof openSession>[1] & string): Promise<void> {
  try {
    const found = await call('part.locate', { part });
    if (found) await showPart(found.index);
    else say(noSuchPart);
  } catch (error) {
    if (!isAbandoned(error)) say(`The part could not be looked for: ${reasonOf(error)}`);
  }
}

function Toast() {
  const { text, shown } = useToast();
  return (
    <div role="status" aria-live="polite">
      {text !== null && (
        <div className="toast" key={shown}>
          {text}
        </div>
      )}
    </div>
  );
}
