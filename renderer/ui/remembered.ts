/** Small things the page keeps between visits: pane sizes, theme, reading places. Lost without harm, so a full or forbidden storage is ignored. */

const prefix = 'retrace.';

/** What was kept under a name, if it still has the form expected. */
export function recall<T>(name: string, check: (value: unknown) => T | null): T | null {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? null : check(JSON.parse(text));
  } catch {
    return null;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Private windows refuse, full storages too.
  }
}
