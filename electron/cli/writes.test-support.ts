import { dirname } from 'node:path';
import type { Place } from '../../e2e/command-line';

/** Names, times and sizes of one run out; JSON with a field a line. */
export function steady(text: string, place: Place, isJson: boolean): string {
  const shown = isJson ? `${JSON.stringify(JSON.parse(text), null, 1)}\n` : text;
  const names = new Map<string, string>();
  const named = (kind: string) => (found: string) => {
    const known = names.get(found) ?? `<${kind} ${[...names.values()].filter((name) => name.startsWith(`<${kind}`)).length + 1}>`;
    names.set(found, known);
    return known;
  };
  return shown
    .replaceAll(place.home, '<home>')
    // Claude Code names a folder after the path of the project.
    .replaceAll(place.home.replace(/[^a-z0-9]/gi, '-'), '-home')
    .replaceAll(dirname(place.library), '<library>')
    // What can be looked at is another thing on each system.
    .replace(/^ *looked: .*\n/gm, '')
    .replace(/"checked": \[[^\]]*\]/g, '"checked": []')
    .replace(/\b[0-9a-z]{8}-[0-9a-z]{6}\b/g, named('entry'))
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, named('session'))
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d \d\d:\d\d/g, '<time>')
    // What is written holds paths of this machine.
    .replace(/"(free|needed)": \d+/g, '"$1": 0');
}
