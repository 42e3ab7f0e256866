/** Changes of one file, as a diff tells them. */
interface FileDiff {
  path: string;
  kind: 'create' | 'edit' | 'delete' | 'rename';
  added: number;
  removed: number;
  patch: string;
}

/**
 * A patch with the headers every reader of unified diffs expects. The program's own begin with `Index:` and a rule, and
 * some have a tab behind the name (FORMAT.md, "Diffs").
 */
export function unified(patch: string, path: string): string {
  const lines = patch.split('\n');
  let start = 0;
  while (start < lines.length && (lines[start]?.startsWith('Index: ') || /^={10,}$/.test(lines[start] ?? ''))) start++;
  const rest = lines.slice(start);
  const hasHeaders = rest[0]?.startsWith('--- ') && rest[1]?.startsWith('+++ ');
  const headers = hasHeaders ? rest.splice(0, 2).map((line) => line.replace(/\t.*$/, '')) : [`--- ${path}`, `+++ ${path}`];
  return [...headers, ...rest].join('\n');
}

/** Lines added and removed inside the hunks of a patch. */
export function countLines(patch: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  let left = 0;
  let leftNew = 0;
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      left = Number(hunk[1] ?? 1);
      leftNew = Number(hunk[2] ?? 1);
    } else if (left > 0 || leftNew > 0) {
      if (line.startsWith('+')) {
        added++;
        leftNew--;
      } else if (line.startsWith('-')) {
        removed++;
        left--;
      } else if (!line.startsWith('\\')) {
        left--;
        leftNew--;
      }
    }
  }
  return { added, removed };
}

/** A new file's content as a patch that adds every line. */
export function additionOf(path: string, content: string): { added: number; patch: string } {
  if (content === '') return { added: 0, patch: `--- /dev/null\n+++ ${path}\n` };
  const ends = content.endsWith('\n');
  const lines = (ends ? content.slice(0, -1) : content).split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  return { added: lines.length, patch: `--- /dev/null\n+++ ${path}\n@@ -0,0 +1${lines.length === 1 ? '' : `,${lines.length}`} @@\n${body}${ends ? '' : '\\ No newline at end of file\n'}` };
}

/** The files of a `git diff`, each with its own part of it. */
export function filesOfDiff(diff: string): FileDiff[] {
  return diff
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map((part) => {
      const name = (prefix: string) => new RegExp(`^${prefix} (.*)$`, 'm').exec(part)?.[1];
      const before = plainName(name('---'));
      const after = plainName(name('\\+\\+\\+'));
      const renamed = name('rename to');
      const path = after ?? before ?? (renamed === undefined ? undefined : unquoted(renamed)) ?? headerName(part);
      const kind = /^new file mode/m.test(part) ? 'create' : /^deleted file mode/m.test(part) ? 'delete' : renamed === undefined ? 'edit' : 'rename';
      return { path, kind, ...countLines(part), patch: part } satisfies FileDiff;
    });
}

function plainName(name: string | undefined): string | undefined {
  if (name === undefined || name === '/dev/null') return undefined;
  return unquoted(name.replace(/\t$/, '')).replace(/^[ab]\//, '');
}

/** A file without a hunk (empty, binary, mode only) is named in the first line only: `diff --git a/x b/x`. */
function headerName(part: string): string {
  const line = part.slice('diff --git '.length, part.indexOf('\n') < 0 ? undefined : part.indexOf('\n'));
  const quoted = /"((?:[^"\\]|\\.)*)"$/.exec(line);
  const name = quoted ? unquoted(`"${quoted[1]}"`) : line.slice(line.length / 2 + 0.5);
  return name.replace(/^[ab]\//, '');
}

/** Git quotes names with other than plain characters, as C does, byte by byte. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: number[] = [];
  const text = name.slice(1, -1);
  for (let i = 0; i < text.length; i++) {
    const octal = text[i] === '\\' ? /^[0-7]{3}/.exec(text.slice(i + 1, i + 4)) : null;
    if (octal) {
      bytes.push(Number.parseInt(octal[0], 8));
      i += 3;
    } else if (text[i] === '\\') {
      const escaped = text[++i] ?? '';
      bytes.push(...Buffer.from({ n: '\n', t: '\t', r: '\r' }[escaped] ?? escaped));
    } else bytes.push(...Buffer.from(text[i] ?? ''));
  }
  return Buffer.from(bytes).toString('utf8');
}
