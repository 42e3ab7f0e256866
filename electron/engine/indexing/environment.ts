import type { Library } from '../library/library';
import type { EngineOptions } from '../options';
import { importsFolder } from '../stores/retrace/imports';
import type { Environment } from '../stores/store';

/** Where stores are looked for. A home given by hand is read alone: variables of this machine do not lead out of it. */
export function environmentOf(options: EngineOptions, home: string, library: Library): Environment {
  return {
    home: options.home ?? home,
    platform: process.platform,
    variables: options.home === undefined ? process.env : {},
    added: rememberedFolders(library, options.add ?? []),
    imports: importsFolder(library.file),
    ...boundsOf(options),
  };
}

/** What the options say of where recorded paths may be looked for. */
export function boundsOf(options: EngineOptions): { confined: boolean; maps: { from: string; to: string }[] } {
  return { confined: options.home !== undefined, maps: (options.map ?? []).map(mappingOf) };
}

/** `FROM=TO`, as the command line has checked it. */
function mappingOf(text: string): { from: string; to: string } {
  const at = text.indexOf('=');
  return { from: text.slice(0, at), to: text.slice(at + 1) };
}

/** Folders that were added once are looked at ever after. */
function rememberedFolders(library: Library, added: string[]): string[] {
  const stored = library.meta('added folders');
  const before = typeof stored === 'string' ? (JSON.parse(stored) as string[]) : [];
  const all = [...new Set([...before, ...added])];
  if (all.length > before.length) library.setMeta('added folders', JSON.stringify(all));
  return all;
}
