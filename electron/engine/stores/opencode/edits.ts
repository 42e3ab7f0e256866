import type { ToolFamily } from '@shared/model';
import type { RecordedEdit, ToolBody } from '../store';
import { additionOf, countLines, unified } from './patches';
import { asNumber, asObject, asObjects, asText, type Fields } from '../foreign/fields';

export type Edit = ToolBody['edits'][number];

/** What a finished call did to files, as its record tells (FORMAT.md, "Diffs"). */
export function editsOf(family: ToolFamily, input: Fields | null, metadata: Fields | null): Edit[] {
  if (family !== 'edit' && family !== 'write') return [];
  const listed = asObjects(metadata?.['files']).map(fileEdit).filter((edit) => edit !== null);
  if (listed.length > 0) return listed;
  const one = asObject(metadata?.['filediff']);
  const results = asObjects(metadata?.['results']).map((result) => fileEdit(asObject(result['filediff']) ?? {})).filter((edit) => edit !== null);
  const found = one ? fileEdit(one) : null;
  if (found) return [found];
  if (results.length > 0) return results;
  const path = asText(input?.['filePath']) ?? asText(input?.['path']) ?? asText(metadata?.['filepath']) ?? asText(metadata?.['target']);
  const diff = asText(metadata?.['diff']);
  if (diff !== null && path !== null) return [{ path, kind: 'edit', ...countLines(diff), patch: unified(diff, path) }];
  return family === 'write' && path !== null ? written(path, asText(input?.['content']) ?? '', metadata) : [];
}

/** A file that was written whole: new, all of it was added; over an old one, what that held is not recorded. */
function written(path: string, content: string, metadata: Fields | null): Edit[] {
  const existed = metadata?.['exists'] ?? metadata?.['existed'];
  if (metadata === null || typeof existed !== 'boolean') return [];
  const { added, patch } = additionOf(path, content);
  return [{ path, kind: existed ? 'edit' : 'create', added, removed: 0, patch: existed ? null : patch, recorded: { after: content, ...(existed ? {} : { before: null }) } }];
}

/** A change of one file as several tools and versions describe it. */
function fileEdit(file: Fields): Edit | null {
  const path = asText(file['file']) ?? asText(file['filePath']) ?? asText(file['relativePath']) ?? asText(file['path']);
  if (path === null) return null;
  const patch = asText(file['patch']) ?? asText(file['diff']);
  const counted = patch === null ? { added: 0, removed: 0 } : countLines(patch);
  const word = asText(file['status']) ?? asText(file['type']);
  const kind = word === 'added' || word === 'add' ? 'create' : word === 'deleted' || word === 'delete' ? 'delete' : word === 'move' || word === 'renamed' ? 'rename' : 'edit';
  return {
    path, kind, added: asNumber(file['additions']) ?? counted.added, removed: asNumber(file['deletions']) ?? counted.removed,
    patch: patch === null ? null : unified(patch, path), recorded: contentsOf(file, kind),
  };
}

/** Releases up to 1.2 kept the whole file before and after; others may name where a moved file was. */
function contentsOf(file: Fields, kind: Edit['kind']): RecordedEdit {
  const [before, after, from] = [asText(file['before']), asText(file['after']), asText(file['movePath']) === null ? null : asText(file['filePath'])];
  return {
    ...(kind === 'create' ? { before: null } : before === null ? {} : { before }), ...(kind === 'delete' ? { after: null } : after === null ? {} : { after }),
    ...(kind === 'rename' && from !== null ? { oldPath: from } : {}),
  };
}

/** Changes over a turn, as the row of its prompt keeps them (FORMAT.md, "Diffs"). */
export const editsOfTurn = (message: Fields): Edit[] => asObjects(asObject(message['summary'])?.['diffs']).map(fileEdit).filter((edit) => edit !== null);
