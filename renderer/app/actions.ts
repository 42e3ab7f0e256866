import type { SessionSummary } from '@shared/model';
import { isAside, leaveAside, look, refine, show, useRoute } from './route';
import { cancelIndex, updateLibrary, useEngine } from './engine';
import { nextTheme } from './theme';
import { useFrame } from './frame';
import { copyText } from '../ui/copy';
import { say } from '../ui/toast';
import { clearFilters, isFiltered } from '../features/library/Filters';
import { openExport } from '../features/share/state';
import { focusSearch } from '../features/search/SearchBox';
import { comparisonBase } from '../features/compare/base';
import { chooseBranch, compareSummary, lookBefore, nextLens } from '../features/lens/lens';
import { askWriter, inFiles, leaveFiles, showSessionFiles, showTurnAtHand, showUnchanged, stepChange, stepFile, toggleBlanks, toggleFileList, toggleSplit } from '../features/diff/acts';
import { openForget } from '../features/settings/keeping';
import { openImport } from '../features/share/import/state';
import { actOnOpen, forkHere, forkNow, openSummary, revertHere } from '../features/plans/acts';
import { openJournal, undoLast } from '../features/plans/journal';
import { closeFind, openFind } from '../features/timeline/FindBar';
import { previewRevert } from '../features/revert/state';
import { copyCurrent, goTo, showDiff, step, toggleCurrent, toggleInjected, toggleRaw } from '../features/timeline/acts';
import { partAt } from '../features/timeline/loading';
import { useSession } from '../features/timeline/state';

/** Something a person can do: by its key, in the palette, or from the application menu. */
export interface Action {
  id: string;
  title: string;
  group: 'Go' | 'Session' | 'Part' | 'Files' | 'Library' | 'View';
  /** `mod` is ⌘ on a Mac, Ctrl elsewhere. */
  keys: string[];
  run(): void;
  /** Left out: always. */
  possible?(): boolean;
}

const onMap = () => useRoute.getState().view.kind === 'map';
const inSession = () => useRoute.getState().view.kind === 'session' && useSession.getState().total > 0;

function copyLink(): void {
  const { id, current } = useSession.getState();
  const part = current === null ? null : (partAt(current)?.id ?? null);
  if (id === null) return;
  const address = `retrace://session/${encodeURIComponent(id)}${part === null ? '' : `/part/${encodeURIComponent(part)}`}`;
  void copyText(address).then((done) => say(done ? `Copied the link to this ${part === null ? 'session' : 'part'}.` : 'The system refused the clipboard.'));
}

/** The open session, when only the library has it: what its agent has would be read again. */
function goneSession(): SessionSummary | null {
  const summary = useSession.getState().detail?.summary ?? null;
  return summary?.source === 'gone' ? summary : null;
}

/** The open session lives only in the library: it has no agent's own notions here. */
const isImported = (): boolean => openSummary()?.agent === 'retrace';

function forgetSession(): void {
  const summary = goneSession();
  if (summary) openForget({ kind: 'sessions', sessions: [summary.id] }, summary.title ?? 'this session');
}

function escape(): void {
  closeFind();
  const { view } = useRoute.getState();
  if (isAside(view)) leaveAside();
  if (view.kind === 'map') toggleMap();
  if (view.kind === 'files') leaveFiles();
}

/** From a session to the lineage map of its family, and back. */
function toggleMap(): void {
  const { view } = useRoute.getState();
  if (view.kind === 'session') show({ kind: 'map', session: view.session });
  else if (view.kind === 'map') show({ kind: 'session', session: view.session, part: null });
}

export const actions: Action[] = [
  { id: 'palette', title: 'Search or run a command', group: 'Go', keys: ['mod+k'], run: () => useFrame.setState(({ sheet }) => ({ sheet: sheet === 'palette' ? null : 'palette' })) },
  { id: 'search', title: 'Search everything', group: 'Go', keys: ['/'], run: focusSearch },
  { id: 'find', title: 'Find in session', group: 'Go', keys: ['mod+f'], run: openFind, possible: inSession },
  { id: 'tree', title: 'Go to the library', group: 'Go', keys: [], run: () => focusTree() },
  { id: 'memory', title: 'Memory: what outlives sessions, by project', group: 'Go', keys: ['mod+alt+m'], run: () => show({ kind: 'memory', project: null }) },
  { id: 'journal', title: 'Journal: what Retrace wrote, and its undo', group: 'Go', keys: ['h'], run: openJournal },
  { id: 'undo-last', title: 'Undo the last write of Retrace', group: 'Go', keys: [], run: () => void undoLast() },
  { id: 'doctor', title: 'Doctor: what was read and what was not', group: 'Go', keys: [], run: () => show({ kind: 'doctor' }) },
  { id: 'library-settings', title: 'Library settings: what is kept, for how long, and its size', group: 'Go', keys: ['mod+,'], run: () => show({ kind: 'library' }) },
  { id: 'work', title: 'Work: plans over all projects', group: 'Go', keys: ['w'], run: () => show({ kind: 'work', project: null, plan: null }), possible: () => !inFiles() },
  { id: 'home', title: 'Close the session', group: 'Go', keys: [], run: () => show({ kind: 'home' }), possible: inSession },
  { id: 'escape', title: 'Leave search, find, map, files, comparison, memory, work, journal, library settings or doctor', group: 'Go', keys: ['escape'], run: escape },

  { id: 'map', title: 'Lineage map: where this session came from and what came of it', group: 'Session', keys: ['m'], run: toggleMap, possible: () => ['session', 'map'].includes(useRoute.getState().view.kind) },
  { id: 'next-part', title: 'Next part', group: 'Session', keys: ['j'], run: () => step(1), possible: inSession },
  { id: 'previous-part', title: 'Previous part', group: 'Session', keys: ['k'], run: () => step(-1), possible: inSession },
  { id: 'next-turn', title: 'Next turn', group: 'Session', keys: ['n'], run: () => goTo('turn', 1), possible: inSession },
  { id: 'previous-turn', title: 'Previous turn', group: 'Session', keys: ['p'], run: () => goTo('turn', -1), possible: inSession },
  { id: 'next-compaction', title: 'Next compaction', group: 'Session', keys: [']'], run: () => goTo('compaction', 1), possible: inSession },
  { id: 'previous-compaction', title: 'Previous compaction', group: 'Session', keys: ['['], run: () => goTo('compaction', -1), possible: inSession },
  { id: 'next-error', title: 'Next error', group: 'Session', keys: ['e'], run: () => goTo('error', 1), possible: inSession },

  { id: 'lens', title: 'Next lens: everything, what the model sees, this branch', group: 'Session', keys: ['l'], run: nextLens, possible: inSession },
  { id: 'injected', title: 'Show or fold what the agent put in', group: 'Session', keys: [], run: toggleInjected, possible: inSession },
  { id: 'branches', title: 'Choose a branch', group: 'Session', keys: ['b'], run: chooseBranch, possible: inSession },
  { id: 'compare-summary', title: 'Compare the summary with what it replaced', group: 'Session', keys: ['c'], run: compareSummary, possible: inSession },
  { id: 'compare', title: 'Compare with another branch or session', group: 'Session', keys: ['x'], run: () => useFrame.setState({ sheet: 'compare' }), possible: () => comparisonBase() !== null },
  { id: 'fork-now', title: 'Fork the session as it is now', group: 'Session', keys: [], run: forkNow, possible: () => (inSession() && !isImported()) || onMap() },
  { id: 'continue-import', title: 'Continue the imported session in its agent', group: 'Session', keys: [], run: forkNow, possible: () => inSession() && isImported() },
  { id: 'rename-session', title: 'Rename the session', group: 'Session', keys: [], run: () => actOnOpen('rename'), possible: () => inSession() && !isImported() },
  { id: 'archive-session', title: 'Archive the session', group: 'Session', keys: [], run: () => actOnOpen('archive'), possible: () => inSession() && !isImported() && openSummary()?.archived === null },
  { id: 'unarchive-session', title: 'Take the session out of the archive', group: 'Session', keys: [], run: () => actOnOpen('unarchive'), possible: () => inSession() && (openSummary()?.archived ?? null) !== null },
  { id: 'trash-session', title: 'Move the session to the trash', group: 'Session', keys: [], run: () => actOnOpen('trash'), possible: () => inSession() && !isImported() && goneSession() === null },
  { id: 'restore-session', title: 'Write the session back into the store of its agent', group: 'Session', keys: [], run: () => actOnOpen('restore'), possible: () => inSession() && goneSession() !== null },
  { id: 'forget-session', title: 'Forget this session from the library', group: 'Session', keys: [], run: forgetSession, possible: () => inSession() && goneSession() !== null },
  { id: 'export', title: 'Export the session: Markdown, web page, JSON, bundle', group: 'Session', keys: ['mod+s'], run: openExport, possible: inSession },
  { id: 'before-part', title: 'Look at what the model saw before this message', group: 'Part', keys: [], run: lookBefore, possible: inSession },
  { id: 'now', title: 'Back to what the model sees now', group: 'Part', keys: [], run: () => look({ before: null }), possible: () => useRoute.getState().lens.before !== null },

  { id: 'open-part', title: 'Open or fold the part', group: 'Part', keys: ['o'], run: toggleCurrent, possible: inSession },
  { id: 'diff', title: 'Show the diff of the part; once more: among the files', group: 'Part', keys: ['d'], run: showDiff, possible: inSession },
  { id: 'revert', title: 'Preview going back to before this message', group: 'Part', keys: ['u'], run: previewRevert, possible: inSession },
  { id: 'fork', title: 'Fork before this message', group: 'Part', keys: ['f'], run: forkHere, possible: () => inSession() || onMap() },
  { id: 'take-back', title: 'Take back to before this message', group: 'Part', keys: [], run: revertHere, possible: inSession },
  { id: 'raw', title: 'Show the raw record of the part', group: 'Part', keys: ['r'], run: toggleRaw, possible: inSession },
  { id: 'copy', title: 'Copy the part', group: 'Part', keys: ['y'], run: copyCurrent, possible: inSession },
  { id: 'copy-link', title: 'Copy a link to the part', group: 'Part', keys: [], run: copyLink, possible: inSession },

  { id: 'files', title: 'Files: what the session did to them', group: 'Files', keys: [], run: showSessionFiles, possible: () => ['session', 'map'].includes(useRoute.getState().view.kind) },
  { id: 'turn-files', title: 'All changes of this turn', group: 'Files', keys: [], run: showTurnAtHand, possible: inSession },
  { id: 'next-change', title: 'Next change in the file', group: 'Files', keys: ['n'], run: () => stepChange(1), possible: inFiles },
  { id: 'previous-change', title: 'Previous change in the file', group: 'Files', keys: ['p'], run: () => stepChange(-1), possible: inFiles },
  { id: 'next-file', title: 'Next file', group: 'Files', keys: ['j'], run: () => stepFile(1), possible: inFiles },
  { id: 'previous-file', title: 'Previous file', group: 'Files', keys: ['k'], run: () => stepFile(-1), possible: inFiles },
  { id: 'line-writer', title: 'Who changed this line', group: 'Files', keys: ['a'], run: askWriter, possible: inFiles },
  { id: 'more-unchanged', title: 'Show more unchanged lines here', group: 'Files', keys: ['e'], run: () => showUnchanged(false), possible: inFiles },
  { id: 'all-unchanged', title: 'Show all unchanged lines of this fold', group: 'Files', keys: ['o'], run: () => showUnchanged(true), possible: inFiles },
  { id: 'side-by-side', title: 'Side by side, or in one column', group: 'Files', keys: ['s'], run: toggleSplit, possible: inFiles },
  { id: 'blanks', title: 'Show or hide changes of blanks', group: 'Files', keys: ['w'], run: toggleBlanks, possible: inFiles },
  { id: 'file-list', title: 'Show or hide the list of files', group: 'Files', keys: ['b'], run: toggleFileList, possible: inFiles },

  { id: 'filter-title', title: 'Filter sessions by title', group: 'Library', keys: [], run: () => document.querySelector<HTMLInputElement>('#title-filter')?.focus() },
  { id: 'clear-filter', title: 'Clear the filter', group: 'Library', keys: [], run: clearFilters, possible: () => isFiltered(useRoute.getState().library) },
  { id: 'group-project', title: 'Group sessions by project', group: 'Library', keys: [], run: () => refine({ group: 'project' }) },
  { id: 'group-day', title: 'Group sessions by day', group: 'Library', keys: [], run: () => refine({ group: 'day' }) },
  { id: 'group-agent', title: 'Group sessions by agent', group: 'Library', keys: [], run: () => refine({ group: 'agent' }) },
  { id: 'sort-updated', title: 'Last update first', group: 'Library', keys: [], run: () => refine({ sort: 'updated' }) },
  { id: 'sort-created', title: 'Newest first', group: 'Library', keys: [], run: () => refine({ sort: 'created' }) },
  { id: 'archived', title: 'Show or hide archived sessions', group: 'Library', keys: [], run: () => refine({ archived: useRoute.getState().library.archived === 'hide' ? 'include' : 'hide' }) },
  { id: 'import', title: 'Import a session: a share link, an export, a transcript, a bundle', group: 'Library', keys: ['mod+o'], run: openImport },
  { id: 'reload-index', title: 'Bring the library up to date', group: 'Library', keys: [], run: () => void updateLibrary() },
  { id: 'cancel-index', title: 'Cancel indexing', group: 'Library', keys: [], run: () => void cancelIndex(), possible: () => useEngine.getState().progress?.running === true },

  { id: 'theme', title: 'Switch between system, light and dark', group: 'View', keys: [], run: nextTheme },
  { id: 'toggle-library', title: 'Show or hide the library', group: 'View', keys: ['mod+b'], run: () => useFrame.getState().toggle('library') },
  { id: 'toggle-inspector', title: 'Show or hide the inspector', group: 'View', keys: ['mod+alt+b'], run: () => useFrame.getState().toggle('inspector') },
  { id: 'shortcuts', title: 'All keys', group: 'View', keys: ['?'], run: () => useFrame.setState({ sheet: 'keys' }) },
];

function focusTree(): void {
  document.querySelector<HTMLElement>('[role="tree"] [tabindex="0"]')?.focus();
}

export const canRun = (action: Action): boolean => action.possible?.() ?? true;

/** Runs an action by its id: a choice of the application menu. */
export function runAction(id: string): void {
  const action = actions.find((each) => each.id === id);
  if (action && canRun(action)) action.run();
}

