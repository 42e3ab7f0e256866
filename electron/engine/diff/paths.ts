import { spellingOf } from '../stores/foreign/spelling';

/** True for a path that needs no folder before it. */
export const isAbsolute = (path: string): boolean => /^(?:[/\\]|[a-z]:[/\\])/i.test(path);

/** One spelling for a file however it was recorded: only to compare, never to open. `..` is taken as written: no link is followed. */
export function keyOf(path: string, folder: string | null): string {
  return spellingOf(plainSteps(isAbsolute(path) || folder === null ? path : `${folder}/${path}`));
}

function plainSteps(path: string): string {
  const steps: string[] = [];
  const [, root = '', rest = ''] = /^([a-z]:[/\\]|[/\\]{0,2})(.*)$/is.exec(path) ?? [];
  for (const step of rest.split(/[/\\]/)) {
    if (step === '..' && steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (step !== '' && step !== '.' && !(step === '..' && root !== '')) steps.push(step);
  }
  return root + steps.join('/');
}

/** The path inside a folder, with `/`; null when it lies elsewhere, or when the folder is not known and the path is absolute. */
export function relativeTo(path: string, folder: string | null): string | null {
  if (!isAbsolute(path)) {
    const steps = plainSteps(path);
    return steps === '' || steps.startsWith('..') ? null : steps;
  }
  if (folder === null) return null;
  const [inner, outer] = [plainSteps(path), plainSteps(folder)];
  const under = outer.endsWith('/') ? outer : `${outer}/`;
  if (inner.startsWith(under)) return inner.slice(under.length) || null;
  // The same folder in another spelling: the letters of the path itself are kept.
  const [key, root] = [spellingOf(inner), `${spellingOf(outer)}/`];
  return key.startsWith(root) && inner.length >= key.length - root.length ? inner.slice(inner.length - (key.length - root.length)) : null;
}
