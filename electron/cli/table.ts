import type { Paint, Style } from './paint';
import { shorten, widthOf } from './plain-text';

export interface Column {
  head: string;
  align?: 'right';
  style?: Style;
  /** Takes what room is left and is shortened when there is too little. */
  flexible?: { least: number; most: number };
}

/** Spaces between two columns. */
const gap = 2;

/** Rows as aligned lines, headed. `width` is what the terminal has; Infinity means that there is no terminal. */
export function* table(columns: readonly Column[], rows: readonly (readonly string[])[], width: number, paint: Paint): Iterable<string> {
  const widths = columns.map((column, at) => rows.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), widthOf(column.head)));
  const flexible = columns.findIndex((column) => column.flexible !== undefined);
  if (flexible >= 0) {
    const others = widths.reduce((sum, one, at) => sum + (at === flexible ? 0 : one + gap), 0);
    const { least, most } = columns[flexible]?.flexible ?? { least: 0, most: 0 };
    widths[flexible] = Math.min(widths[flexible] ?? 0, most, Math.max(least, width - others));
  }
  const line = (cells: readonly string[], styleOf: (column: Column) => Style | undefined) =>
    columns
      .map((column, at) => {
        const room = widths[at] ?? 0;
        const text = shorten(cells[at] ?? '', room);
        const space = ' '.repeat(room - widthOf(text));
        const style = styleOf(column);
        const painted = style && text !== '' ? paint(style, text) : text;
        return column.align === 'right' ? space + painted : at === columns.length - 1 ? painted : painted + space;
      })
      .join(' '.repeat(gap))
      .trimEnd();
  yield line(columns.map(({ head }) => head), () => 'dim');
  for (const row of rows) yield line(row, ({ style }) => style);
}
