import { memberRange } from './members';

/** The value of a column as the log's line of the row has it: JSON as it stands, or null where the column is no JSON object. */
export function dataText(line: Uint8Array): string | null {
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
  const row = memberRange(text, 'r');
  const range = row && memberRange(text, 'data', row[0]);
  return range && text[range[0]] === '{' ? text.slice(...range) : null;
}
