import type { ChangeKind } from '@shared/model';
import { unquoted } from './patch-names';
import type { Hunk, HunkLine } from './hunks';

/** One file of a patch as its text tells it. */
export interface PatchFile {
  /** Null for `/dev/null`; empty when no header names it. */
  oldPath: string | null;
  newPath: string | null;
  kind: ChangeKind;
  modes: { before: string | null; after: string | null };
  hunks: Hunk[];
}

export interface ParsedPatch {
  files: PatchFile[];
  /** Places where the text is no patch, one sentence each. */
  problems: string[];
}

/** Files, hunk lines and problems of one patch text that are read; what comes behind is named and left out. */
const limits = { files: 5_000, lines: 2_000_000, problems: 20 };

interface Open extends PatchFile {
  isGit: boolean;
  isBinary: boolean;
  isRename: boolean;
}

/**
 * Reads unified patch text: plain, git's, or with `Index:` headers. It comes from a store and may be cut, hostile or no
 * patch at all: what is whole is kept, what is not is named.
 */
export function parsePatch(text: string): ParsedPatch {
  return new PatchReader(text).read();
}

class PatchReader {
  readonly #lines: Lines;
  readonly #files: Open[] = [];
  readonly #problems: string[] = [];
  #lineCount = 0;

  constructor(text: string) {
    this.#lines = new Lines(text);
  }

  read(): ParsedPatch {
    for (let line = this.#lines.next(); line !== null; line = this.#lines.next()) {
      if (this.#files.length > limits.files || this.#lineCount > limits.lines) {
        this.#problem('The patch is longer than what is read of it.');
        break;
      }
      this.#take(line);
    }
    return { files: this.#files.slice(0, limits.files).map(finished), problems: this.#problems };
  }

  #take(line: string): void {
    const header = headLine(line);
    if (header.startsWith('diff --git ')) {
      const [from, to] = gitNames(header.slice('diff --git '.length));
      this.#open(from, to).isGit = true;
    } else if (header.startsWith('Index: ')) {
      const name = header.slice('Index: '.length);
      this.#open(name, name);
    } else if (header.startsWith('--- ') && this.#lines.peek()?.startsWith('+++ ')) {
      this.#names(header, headLine(this.#lines.next() ?? ''));
    } else if (header.startsWith('@@ ')) this.#hunk(header);
    else this.#extended(header);
  }

  #open(oldPath: string | null, newPath: string | null): Open {
    const file: Open = { oldPath, newPath, kind: 'edit', modes: { before: null, after: null }, hunks: [], isGit: false, isBinary: false, isRename: false };
    this.#files.push(file);
    return file;
  }

  #names(from: string, to: string): void {
    const last = this.#files.at(-1);
    const file = last && last.hunks.length === 0 ? last : this.#open('', '');
    const [oldPath, newPath] = [headerPath(from, file.isGit), headerPath(to, file.isGit)];
    if (oldPath === null) file.kind = 'create';
    if (newPath === null) file.kind = 'delete';
    Object.assign(file, { oldPath, newPath });
  }

  #extended(line: string): void {
    const file = this.#files.at(-1);
    const [, word, value] = /^(new file mode|deleted file mode|old mode|new mode|rename from|rename to|copy from|copy to) (.*)$/.exec(line) ?? [];
    if (/^(?:Binary files .* differ|GIT binary patch)$/.test(line)) {
      if (file) file.isBinary = true;
      return;
    }
    if (word === undefined || value === undefined) return;
    // Codex's own records name a rename before the file's headers.
    const own = word === 'rename from' && (!file || file.hunks.length > 0) ? this.#open('', '') : file;
    if (!own) return;
    switch (word) {
      case 'new file mode':
        own.kind = 'create';
        own.modes.after = value;
        own.oldPath = null;
        break;
      case 'deleted file mode':
        own.kind = 'delete';
        own.modes.before = value;
        own.newPath = null;
        break;
      case 'old mode':
        own.modes.before = value;
        break;
      case 'new mode':
        own.modes.after = value;
        break;
      case 'rename from':
        own.isRename = true;
        own.oldPath = unquoted(value);
        break;
      case 'rename to':
      case 'copy to':
        own.newPath = unquoted(value);
        break;
      default:
    }
  }

  #hunk(header: string): void {
    const [, oldStart, oldCount, newStart, newCount, heading] = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/.exec(header) ?? [];
    if (oldStart === undefined || newStart === undefined) return this.#problem(`A hunk without line numbers: ${header.slice(0, 60)}`);
    const file = this.#files.at(-1) ?? this.#open('', '');
    let [old, added] = [Number(oldCount ?? 1), Number(newCount ?? 1)];
    const lines: HunkLine[] = [];
    while (old > 0 || added > 0) {
      const next = this.#lines.peek();
      const mark = next === null ? undefined : markOf(next);
      const fits = mark === '+' ? added > 0 : mark === '-' ? old > 0 : mark === ' ' && old > 0 && added > 0;
      if (next === null || mark === undefined || (!fits && mark !== '\\')) {
        this.#problem(`A hunk of ${file.newPath || file.oldPath || 'a file without a name'} is shorter than its header says.`);
        break;
      }
      this.#lines.next();
      if (mark === '\\') withoutEnd(lines);
      else {
        lines.push({ mark, text: next === '\n' || next === '\r\n' ? next : next.slice(1) });
        if (mark !== '+') old--;
        if (mark !== '-') added--;
      }
      this.#lineCount++;
    }
    if (this.#lines.peek()?.startsWith('\\ ')) {
      this.#lines.next();
      withoutEnd(lines);
    }
    if (lines.length > 0) file.hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), heading: heading ? heading : null, lines });
  }

  #problem(text: string): void {
    if (this.#problems.length < limits.problems) this.#problems.push(text);
  }
}

/** Some tools cut the blank off an empty line of context. */
const markOf = (line: string): ' ' | '+' | '-' | '\\' | undefined => {
  const first = line[0];
  if (first === '\n' || (first === '\r' && line[1] === '\n')) return ' ';
  return first === ' ' || first === '+' || first === '-' || first === '\\' ? first : undefined;
};

function withoutEnd(lines: HunkLine[]): void {
  const last = lines.at(-1);
  if (last) last.text = last.text.replace(/\r?\n$/, '');
}

function finished({ isGit: _git, isBinary, isRename, ...file }: Open): PatchFile {
  const modeOnly = file.kind === 'edit' && file.hunks.length === 0 && file.modes.before !== null && file.modes.after !== null;
  const kind = isBinary && file.kind === 'edit' ? 'binary' : isRename && file.kind === 'edit' ? 'rename' : modeOnly ? 'mode' : file.kind;
  return { ...file, kind };
}

const headLine = (line: string): string => line.replace(/\r?\n$/, '');

/** The path of a `---` or `+++` line; some writers put a tab and a time behind it. */
function headerPath(line: string, isGit: boolean): string | null {
  const name = line.slice(4);
  const path = name.startsWith('"') ? unquoted(name.replace(/\t.*$/, '')) : name.replace(/\t.*$/, '');
  if (path === '/dev/null') return null;
  return isGit ? path.replace(/^[ab]\//, '') : path;
}

/** The two names behind `diff --git`: equal but for their first letter where they are not quoted, since blanks do not end a name. */
function gitNames(names: string): [string, string] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(names);
  const [from = '', to = ''] = quoted ? [quoted[1], quoted[2]] : [names.slice(0, (names.length - 1) / 2), names.slice((names.length + 1) / 2)];
  return [unquoted(from).replace(/^[ab]\//, ''), unquoted(to).replace(/^[ab]\//, '')];
}

/** Lines with their ends, one at a time: a patch of many megabytes is not cut up at once. */
class Lines {
  #at = 0;
  #ahead: string | null | undefined = undefined;

  constructor(readonly text: string) {}

  peek(): string | null {
    this.#ahead ??= this.#read();
    return this.#ahead;
  }

  next(): string | null {
    const line = this.#ahead === undefined ? this.#read() : this.#ahead;
    this.#ahead = undefined;
    return line;
  }

  #read(): string | null {
    if (this.#at >= this.text.length) return null;
    const end = this.text.indexOf('\n', this.#at);
    const to = end < 0 ? this.text.length : end + 1;
    const line = this.text.slice(this.#at, to);
    this.#at = to;
    // The last line of a patch text may have lost its end.
    return end < 0 ? `${line}\n` : line;
  }
}
