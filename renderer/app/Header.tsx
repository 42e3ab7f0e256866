import { FolderInput, History, ListTodo, Monitor, Moon, PanelRight, Sun } from 'lucide-react';
import { openJournal } from '../features/plans/journal';
import { SearchBox } from '../features/search/SearchBox';
import { openImport } from '../features/share/import/state';
import { IndexStatus } from './IndexStatus';
import { keyPieces } from './keys';
import { useFrame } from './frame';
import { show } from './route';
import { nextTheme, useTheme, type Theme } from './theme';

const themeIcons: Record<Theme, typeof Sun> = { system: Monitor, light: Sun, dark: Moon };

/** The bar at the top: search, commands, how far the index is, theme. */
export function Header() {
  const theme = useTheme((state) => state.theme);
  const ThemeIcon = themeIcons[theme];
  return (
    <header className="header">
      <span className="header-name">Retrace</span>
      <SearchBox />
      <button type="button" className="button bare" onClick={() => useFrame.setState({ sheet: 'palette' })} title="Search or run a command">
        <span>Commands</span>
        <span>
          {keyPieces('mod+k').map((piece) => (
            <kbd key={piece}>{piece}</kbd>
          ))}
        </span>
      </button>
      <span className="header-space" />
      <IndexStatus />
      <button type="button" className="button bare square" aria-label="Import a session" title="Import a session" onClick={openImport}>
        <FolderInput size={15} aria-hidden />
      </button>
      <button type="button" className="button bare square" aria-label="Plans and works" title="Plans and works" onClick={() => show({ kind: 'work', project: null, plan: null })}>
        <ListTodo size={15} aria-hidden />
      </button>
      <button type="button" className="button bare square" aria-label="Journal of writes" title="Journal: what Retrace wrote, and its undo" onClick={openJournal}>
        <History size={15} aria-hidden />
      </button>
      <button type="button" className="button bare square" aria-label="Show or hide the inspector" title="Show or hide the inspector" onClick={() => useFrame.getState().toggle('inspector')}>
        <PanelRight size={15} aria-hidden />
      </button>
      <button type="button" className="button bare square" aria-label={`Theme: ${theme}. Switch`} title={`Theme: ${theme}`} onClick={nextTheme}>
        <ThemeIcon size={15} aria-hidden />
      </button>
    </header>
  );
}
