import { create } from 'zustand';
import { recall, remember } from '../ui/remembered';

export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const kept = recall('theme', (value) => themes.find((theme) => theme === value) ?? null);

export const useTheme = create<{ theme: Theme }>(() => ({ theme: kept ?? 'system' }));

/** `color-scheme` on <html> decides every colour of tokens.css; nothing set follows the system. */
function apply(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** Called once, before anything is drawn. */
export function startTheme(): void {
  apply(useTheme.getState().theme);
}

export function setTheme(theme: Theme): void {
  apply(theme);
  remember('theme', theme);
  useTheme.setState({ theme });
}

/** System → light → dark → system. */
export function nextTheme(): void {
  setTheme(themes[(themes.indexOf(useTheme.getState().theme) + 1) % themes.length] ?? 'system');
}
