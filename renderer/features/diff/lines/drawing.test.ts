import { describe, expect, test } from 'vitest';
import { DiffDrawing, type DrawnRow } from './drawing';
import type { DiffLook } from './rows';

const unified: DiffLook = { split: false, blanks: 'shown' };

async function drawn(patch: string, look: DiffLook = unified, more: { isColoured?: boolean; language?: string; size?: number } = {}): Promise<{ rows: DrawnRow[]; stops: number[]; drawing: DiffDrawing }> {
  const drawing = new DiffDrawing(more.language ?? null);
  const size = more.size ?? patch.length;
  for (let from = 0; from < patch.length; from += size) drawing.push(patch.slice(from, from + size), from + size >= patch.length);
  const { rows, stops } = drawing.lay(look);
  return { rows: await drawing.draw(0, rows, more.isColoured ?? false), stops, drawing };
}

/** A row as one reads it: numbers, sign, text with changed words in [brackets]. */
function told(row: DrawnRow): string {
  if (row.kind === 'fold') return `fold ${row.count}`;
  if (row.kind === 'hunk') return `@@ ${row.file === null ? '' : `[${row.file}] `}${row.gap} ${row.heading ?? ''}`.trim();
  return row.cells
    .map((cell) => (cell === null ? '' : `${cell.old ?? '.'} ${cell.new ?? '.'} ${cell.mark}${cell.pieces.map(([text, names]) => (names === 'word' ? `[${text}]` : text)).join('')}${cell.ends ? '' : '⏎'}`))
    .join(' | ');
}

const head = 'diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n';
const patch = `${head}@@ -1,3 +1,4 @@
 one
-const two = 2;
+const two = 22;
+const more = 3;
 four
@@ -20,2 +21,1 @@ function x()
 twenty
-gone
\\ No newline at end of file
`;

describe('the rows of a patch', () => {
  test('in one column, with numbers, words that changed and the end of the file', async () => {
    const { rows, stops } = await drawn(patch);
    expect(rows.map(told)).toEqual(['@@ 0', '1 1  one', '2 . -const two = [2];', '. 2 +const two = [22];', '. 3 +const more = 3;', '3 4  four', '@@ 16 function x()', '20 21  twenty', '21 . -gone⏎']);
    expect(stops).toEqual([2, 8]);
  });

  test('side by side, like lines across from each other', async () => {
    const { rows, stops } = await drawn(patch, { split: true, blanks: 'shown' });
    expect(rows.map(told)).toEqual(['@@ 0', '1 1  one | 1 1  one', '2 . -const two = [2]; | . 2 +const two = [22];', ' | . 3 +const more = 3;', '3 4  four | 3 4  four', '@@ 16 function x()', '20 21  twenty | 20 21  twenty', '21 . -gone⏎ | ']);
    expect(stops).toEqual([2, 7]);
  });

  test.each([1, 7, 40])('read in pieces of %i characters it is the same', async (size) => {
    expect((await drawn(patch, unified, { size })).rows).toEqual((await drawn(patch)).rows);
  });

  test('a file that was made or deleted begins at its first line', async () => {
    expect((await drawn(`${head}@@ -0,0 +1,2 @@\n+a\n+b\n`)).rows.map(told)).toEqual(['@@ 0', '. 1 +a', '. 2 +b']);
    expect((await drawn(`${head}@@ -1 +0,0 @@\n-a\n`)).rows.map(told)).toEqual(['@@ 0', '1 . -a']);
  });

  test('what differs in blanks only is drawn as unchanged when that is wished, with both numbers', async () => {
    const indented = `${head}@@ -1,3 +1,4 @@\n-a\n-  b\n-c\n+if\n+  a\n+    b\n+C\n`;
    const { rows, stops } = await drawn(indented, { split: false, blanks: 'hidden' });
    expect(rows.map(told)).toEqual(['@@ 0', '. 1 +if', '1 2    a', '2 3      b', '3 . -[c]', '. 4 +[C]']);
    expect(stops).toEqual([1, 4]);
  });

  test('lines between hunks are put in at either end, and a gap that is opened whole has no row any more', async () => {
    const drawing = new DiffDrawing('javascript', 24);
    drawing.push(`${head}@@ -5 +5,2 @@\n five\n+more\n@@ -20,2 +21 @@\n twenty\n-gone\n`, true);
    const rows = async () => (await drawing.draw(0, drawing.lay(unified).rows, true)).map(told);
    expect(await rows()).toEqual(['@@ 4', '5 5  five', '. 6 +more', '@@ 14', '20 21  twenty', '21 . -gone', '@@ 3']);
    const [first, , , second, , , last] = await drawing.draw(0, 7, false);
    expect([first, second, last].map((row) => row?.kind === 'hunk' && row.open)).toEqual([{ number: 0, old: 1, shift: 0, left: 4 }, { number: 1, old: 6, shift: 1, left: 14 }, { number: 2, old: 22, shift: 0, left: 3 }]);
    drawing.put(1, 'above', 6, ['six', 'seven']);
    drawing.put(1, 'below', 19, ['nineteen']);
    // Lines that do not lie there any more, and more than there are, are not taken.
    drawing.put(1, 'above', 6, ['again']);
    drawing.put(2, 'above', 22, ['22', '23', '24', '25']);
    expect(await rows()).toEqual(['@@ 4', '5 5  five', '. 6 +more', '6 7  six', '7 8  seven', '@@ 11', '19 20  nineteen', '20 21  twenty', '21 . -gone', '@@ 3']);
    drawing.put(1, 'below', 18, ['const eighteen = 18;']);
    drawing.put(0, 'above', 1, ['1', '2', '3', '4']);
    const { rows: count, stops } = drawing.put(2, 'above', 22, ['22', '23', '24']);
    expect(await rows()).toEqual(['1 1  1', '2 2  2', '3 3  3', '4 4  4', '5 5  five', '. 6 +more', '6 7  six', '7 8  seven', '@@ 10', '18 19  const eighteen = 18;', '19 20  nineteen', '20 21  twenty', '21 . -gone', '22 22  22', '23 23  23', '24 24  24']);
    expect(stops).toEqual([5, 12]);
    const coloured = (await drawing.draw(0, count, true))[9];
    expect(coloured?.kind === 'line' && coloured.cells[0]?.pieces[0]).toEqual(['const', 'hljs-keyword']);
    drawing.lay({ split: true, blanks: 'shown' });
    expect((await drawing.draw(0, 1, false)).map(told)).toEqual(['1 1  1 | 1 1  1']);
  });

  test('where the file is not known whole nothing can be put in, and it ends with its last hunk', async () => {
    const { rows } = await drawn(patch);
    expect(rows.flatMap((row) => (row.kind === 'hunk' ? [row.open] : []))).toEqual([null, null]);
    expect(rows.at(-1)?.kind).toBe('line');
  });

  test('long unchanged runs are folded, and open when asked', async () => {
    const context = Array.from({ length: 40 }, (_, at) => ` line ${at + 1}\n`).join('');
    const { rows, drawing } = await drawn(`${head}@@ -1,41 +1,41 @@\n${context}-x\n+y\n`);
    expect(rows.map(told).slice(0, 6)).toEqual(['@@ 0', '1 1  line 1', '2 2  line 2', '3 3  line 3', 'fold 34', '38 38  line 38']);
    const fold = rows.find((row) => row.kind === 'fold');
    expect(drawing.unfold(fold?.kind === 'fold' ? fold.from : -1).rows).toBe(43);
  });
});

describe('what a patch may hold', () => {
  test('changed lines that look like headers stay lines', async () => {
    const { rows } = await drawn(`${head}@@ -1,2 +1,3 @@\n--- a/evil\n+++ b/evil\n+@@ -1,1 +1,1 @@\n+diff --git a/x b/x\n \n`);
    expect(rows.map(told)).toEqual(['@@ 0', '1 . -[--] [a]/evil', '. 1 +[++] [b]/evil', '. 2 +@@ -1,1 +1,1 @@', '. 3 +diff --git a/x b/x', '2 4  ']);
  });

  test('the `Index:` form, and names where there is more than one file', async () => {
    const index = (name: string, line: string) => `Index: ${name}\n${'='.repeat(67)}\n--- ${name}\t2026\n+++ ${name}\t2026\n@@ -1,1 +1,1 @@\n-${line}\n+new\n`;
    expect((await drawn(index('a.js', 'one'))).rows.map(told)).toEqual(['@@ 0', '1 . -[one]', '. 1 +[new]']);
    const two = await drawn(`${index('a.js', 'one')}--- /dev/null\n+++ b/c.js\n@@ -0,0 +1 @@\n+c\n--- a/d.js\n+++ /dev/null\n@@ -4 +3,0 @@\n-d\n`);
    expect(two.rows.map(told).filter((row) => row.startsWith('@@'))).toEqual(['@@ [a.js] 0', '@@ [c.js] 0', '@@ [d.js] 3']);
  });

  test('a hunk that is shorter or longer than its header says loses no line', async () => {
    expect((await drawn(`${head}@@ -1,9 +1,9 @@\n-a\n+b\n@@ -20 +20 @@\n-c\n+d\n+e\n f\n`)).rows.map(told)).toEqual(['@@ 0', '1 . -[a]', '. 1 +[b]', '@@ 18', '20 . -[c]', '. 20 +[d]', '. 21 +e', '21 22  f']);
    expect((await drawn(`${head}@@ -1,3 +1,3 @@\n one\n\n-a\n+b\n`)).rows.map(told)).toEqual(['@@ 0', '1 1  one', '2 2  ', '3 . -[a]', '. 3 +[b]']);
  });

  test('what is no patch has no rows', async () => {
    expect((await drawn('*** Begin Patch\n*** Update File: a.js\n+x\n*** End Patch\n')).rows).toEqual([]);
    expect((await drawn('--- a.js\n+++ a.js\n')).rows).toEqual([]);
  });

  test('control characters and turned text are written out, carriage returns only where they differ', async () => {
    expect((await drawn(`${head}@@ -0,0 +1,2 @@\n+\u001b[31mred\n+a\u202Eb\n`)).rows.map(told).slice(1)).toEqual(['. 1 +⟨U+001B⟩[31mred', '. 2 +a⟨U+202E⟩b']);
    expect((await drawn(`${head}@@ -1 +1 @@\n-a\r\n+a\n`)).rows.map(told).slice(1)).toEqual(['1 . -a[␍]', '. 1 +a']);
    expect((await drawn(`${head}@@ -1 +1 @@\n-a\r\n+b\r\n`)).rows.map(told).slice(1)).toEqual(['1 . -[a]', '. 1 +[b]']);
    // What is written out is one character: it is never marked in part.
    expect((await drawn(`${head}@@ -1 +1 @@\n-say \u001bred\n+say \u202Ered\n`)).rows.map(told).slice(1)).toEqual(['1 . -say [⟨U+001B⟩]red', '. 1 +say [⟨U+202E⟩]red']);
  });

  test('of a line of megabytes a little is drawn, around what changed, and more when asked', async () => {
    const long = 'x'.repeat(3_000_000);
    const { rows, drawing } = await drawn(`${head}@@ -1 +1 @@\n-${long}A${long}\n+${long}BB${long}\n`);
    const [, removed] = rows;
    const cell = removed?.kind === 'line' ? removed.cells[0] : null;
    expect(cell?.cut).toEqual({ before: 2_999_800, behind: 2_998_201 });
    expect(cell?.pieces.map(([text, names]) => `${text.length}${names}`)).toEqual(['200', '1word', '1799']);
    expect(drawing.widen(1, 'before').longest).toBe(22_000);
    const [wider] = await drawing.draw(2, 3, false);
    expect(wider?.kind === 'line' && wider.cells[0]?.cut).toEqual({ before: 2_979_800, behind: 2_998_202 });
  });

  test('in a line of megabytes control characters are written out, too', async () => {
    const long = 'x'.repeat(300_000);
    const { rows } = await drawn(`${head}@@ -1 +1 @@\n-${long}A\u202E\r${long}\n+${long}B${long}\n`, unified, { size: 100_000 });
    const [, removed, added] = rows;
    expect(removed?.kind === 'line' && removed.cells[0]?.pieces.slice(0, 2)).toEqual([['x'.repeat(200), ''], ['A⟨U+202E⟩␍', 'word']]);
    expect(added?.kind === 'line' && added.cells[0]?.pieces[1]).toEqual(['B', 'word']);
  });

  test('colours lie under the words that changed', async () => {
    const { rows } = await drawn(patch, unified, { language: 'javascript', isColoured: true });
    const row = rows[3];
    expect(row?.kind === 'line' && row.cells[0]?.pieces).toEqual([['const', 'hljs-keyword'], [' two = ', ''], ['22', 'hljs-number word'], [';', '']]);
  });

  test('a text that spans lines is coloured on each', async () => {
    const { rows } = await drawn(`${head}@@ -0,0 +1,2 @@\n+/* one\n+two */ x\n`, unified, { language: 'javascript', isColoured: true });
    expect(rows.slice(1).map((row) => (row.kind === 'line' ? row.cells[0]?.pieces : null))).toEqual([[['/* one', 'hljs-comment']], [['two */', 'hljs-comment'], [' x', '']]]);
  });
});
