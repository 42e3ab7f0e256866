import { type LineChange, lineChanges } from './line-diff';

/** What an answer asks to be done to one file. */
export interface FileEdit {
  path: string;
  kind: 'create' | 'edit' | 'delete' | 'rename';
  added: number;
  removed: number;
  /** Unified; lines are numbered from the beginning of each block, since an answer does not say where it stands. Null for a whole new text of a file, whose old one is not here. */
  patch: string | null;
  /** The blocks as they stand in the answer. */
  source: string;
}

interface Piece {
  path: string;
  kind: FileEdit['kind'];
  changes: LineChange[] | null;
  source: string[];
}

/**
 * The edits in an answer (FORMAT.md, "Edits"), one a file. A block is taken as the program takes it, whether or not it
 * could be applied. Whole files are looked for only where nothing else is found: with other edit formats a listing is just a listing.
 */
export function editsOf(answer: string, wholeFiles: boolean): FileEdit[] {
  const lines = answer.split('\n').map((line) => line.replace(/\r$/, ''));
  const found = [searchBlocks, fencedDiffs, patchSections].map((read) => read(lines)).find((pieces) => pieces.length > 0);
  return byPath(found ?? (wholeFiles ? wholeListings(lines) : []));
}

function byPath(pieces: Piece[]): FileEdit[] {
  const files = new Map<string, Piece[]>();
  for (const piece of pieces) files.set(piece.path, [...(files.get(piece.path) ?? []), piece]);
  return [...files].map(([path, own]) => {
    const changes = own.flatMap((piece) => piece.changes ?? []);
    const hunks = own.flatMap((piece) => (piece.changes?.length ? [hunkOf(piece.changes)] : []));
    const { kind } = own[0] as Piece;
    const [from, to] = [kind === 'create' ? '/dev/null' : `a/${path}`, kind === 'delete' ? '/dev/null' : `b/${path}`];
    return {
      path, kind,
      added: changes.filter(({ mark }) => mark === '+').length,
      removed: changes.filter(({ mark }) => mark === '-').length,
      patch: hunks.length === 0 ? null : `--- ${from}\n+++ ${to}\n${hunks.join('')}`,
      source: own.flatMap(({ source }) => source).join('\n'),
    };
  });
}

function hunkOf(changes: LineChange[]): string {
  const before = changes.filter(({ mark }) => mark !== '+').length;
  const after = changes.filter(({ mark }) => mark !== '-').length;
  const start = (count: number) => (count === 0 ? 0 : 1);
  return `@@ -${start(before)},${before} +${start(after)},${after} @@\n${changes.map(({ mark, text }) => `${mark}${text}\n`).join('')}`;
}

const head = /^<{5,9} (?:SEARCH|ORIGINAL)$/;
const divider = /^={5,9}$/;
const updated = /^>{5,9} (?:REPLACE|UPDATED)$/;

function searchBlocks(lines: string[]): Piece[] {
  const pieces: Piece[] = [];
  let path: string | null = null;
  for (let i = 0; i < lines.length; i++) {
    if (!head.test((lines[i] as string).trim())) continue;
    path = pathAbove(lines, i) ?? path;
    const middle = lineFrom(lines, i + 1, (line) => divider.test(line.trim()));
    const end = lineFrom(lines, middle + 1, (line) => updated.test(line.trim()));
    if (end >= lines.length) break;
    if (path !== null) {
      const before = lines.slice(i + 1, middle);
      const kind = before.every((line) => line.trim() === '') ? 'create' : 'edit';
      const changes = lineChanges(kind === 'create' ? [] : before, lines.slice(middle + 1, end));
      pieces.push({ path, kind, changes, source: lines.slice(i, end + 1) });
    }
    i = end;
  }
  return pieces;
}

/** The first line from here on that is wanted; behind the last when there is none. */
function lineFrom(lines: string[], from: number, wanted: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length && !wanted(lines[at] as string)) at++;
  return at;
}

const isFence = (line: string): boolean => /^\s*(?:`{3,}|~{3,}|<(?:source|code|pre|codeblock|sourcecode)>)/.test(line);

/** The file's name stands within three lines above a block, with only fences between. */
function pathAbove(lines: string[], index: number): string | null {
  for (let i = index - 1; i >= Math.max(0, index - 3); i--) {
    const line = lines[i] as string;
    if (isFence(line)) continue;
    return pathIn(line);
  }
  return null;
}

/** A line that is a file's name, perhaps dressed as a heading, in bold or in back quotes. */
function pathIn(line: string): string | null {
  const name = line.trim().replace(/:$/, '').replace(/^#+/, '').trim().replace(/^[`*]+|[`*]+$/g, '').replaceAll('\\_', '_').trim();
  if (name === '' || name === '...') return null;
  // Prose before a block is no name; a name with blanks in it has at least a dot or a slash.
  return /\s/.test(name) && !/[/\\]|\.\w+$/.test(name) ? null : name;
}

function fencedDiffs(lines: string[]): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (!/^\s*`{3,}diff\s*$/.test(lines[i] as string)) continue;
    const end = lineFrom(lines, i + 1, (line) => /^\s*`{3,}\s*$/.test(line));
    pieces.push(...diffPieces(lines.slice(i + 1, end), pieces.at(-1)?.path ?? null));
    i = end;
  }
  return pieces;
}

function diffPieces(lines: string[], before: string | null): Piece[] {
  const pieces: Piece[] = [];
  let path = before;
  let kind: Piece['kind'] = 'edit';
  let hunk: string[] = [];
  const close = () => {
    if (path !== null && hunk.some((line) => /^[-+]/.test(line))) pieces.push({ path, kind, changes: hunk.map(changeOf), source: hunk });
    hunk = [];
  };
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const next = lines[i + 1] ?? '';
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      close();
      const [from, to] = [line, next].map((header) => header.slice(4).trim().split('\t')[0] ?? '') as [string, string];
      kind = from === '/dev/null' ? 'create' : to === '/dev/null' ? 'delete' : 'edit';
      path = to === '/dev/null' ? from.replace(/^a\//, '') : from.startsWith('a/') || from === '/dev/null' ? to.replace(/^b\//, '') : to;
      i++;
    } else if (line.startsWith('@@')) close();
    else hunk.push(line);
  }
  close();
  return pieces;
}

const changeOf = (line: string): LineChange => {
  const mark = line[0];
  return mark === '+' || mark === '-' ? { mark, text: line.slice(1) } : { mark: ' ', text: line.replace(/^ /, '') };
};

/** Sections of the `patch` format: `*** Update File: name` and so on. */
function patchSections(lines: string[]): Piece[] {
  const pieces: Piece[] = [];
  const kinds = { Update: 'edit', Add: 'create', Delete: 'delete' } as const;
  let open: Piece | undefined;
  const close = (next?: Piece) => {
    const says = open?.kind === 'delete' || open?.kind === 'rename' || open?.changes?.some(({ mark }) => mark !== ' ');
    if (open && says) pieces.push(open);
    open = next;
  };
  for (const line of lines) {
    const [, verb, name = ''] = /^\*\*\* (Update|Add|Delete) File: (.+)$/.exec(line) ?? [];
    if (verb !== undefined) {
      const kind = kinds[verb as keyof typeof kinds];
      close({ path: name.trim(), kind, changes: kind === 'delete' ? null : [], source: [line] });
    } else if (/^\*\*\* (?:End Patch|End of File)$/.test(line)) {
      close();
    } else if (open) {
      // A new place in the same file begins a hunk of its own.
      if (line.startsWith('@@') && open.changes) close({ path: open.path, kind: open.kind, changes: [], source: [line] });
      else {
        open.source.push(line);
        if (line.startsWith('*** Move to: ')) open.kind = 'rename';
        else open.changes?.push(changeOf(line));
      }
    }
  }
  close();
  return pieces;
}

/** Whole files: a name alone on a line, then the file in a fence. */
function wholeListings(lines: string[]): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 1; i < lines.length; i++) {
    if (!isFence(lines[i] as string)) continue;
    const path = pathIn(lines[i - 1] as string);
    const end = lineFrom(lines, i + 1, isFence);
    if (path !== null && !/\s/.test(path)) pieces.push({ path, kind: 'edit', changes: null, source: lines.slice(i + 1, end) });
    i = end;
  }
  return pieces;
}
