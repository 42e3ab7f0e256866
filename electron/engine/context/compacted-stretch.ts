import type { PartBody } from '../stores/store';
import { kindCode, roleCode, statusCode } from '../library/codes';
import type { ViewRow } from '../queries/part-rows';
import { commandLine, decisionsIn, type StretchItem } from './losses';

/** Items of one part; a part with more is a listing. */
const itemsOfPart = 200;

/** What a part of a compacted stretch says or does: files it touched, the command it ran, decisions its text tells. */
export function itemsOf(row: ViewRow, body: PartBody | null, family: string | null, at: number): StretchItem[] {
  if (!body) return [];
  const found: StretchItem[] = [];
  const add = (kind: StretchItem['kind'], text: string | null | undefined) => {
    if (text && found.length < itemsOfPart) found.push({ kind, text, at });
  };
  const kind = kindCode.word(row.kind);
  if (kind === 'tool' && body.tool) {
    for (const { path } of body.tool.edits) add('file', path);
    if (body.tool.edits.length === 0 && (family === 'read' || family === 'write' || family === 'edit')) add('file', body.tool.target);
    // A call that was refused or never ran did nothing that a summary could lose.
    const ran = row.status === null || !['denied', 'pending'].includes(statusCode.word(row.status));
    if (family === 'shell' && ran) add('command', commandLine(body.tool.target ?? body.tool.input ?? ''));
  }
  if (kind === 'file') add('file', body.file?.source ?? body.file?.name);
  if (kind === 'text' && row.role !== null && roleCode.word(row.role) === 'assistant') for (const sentence of decisionsIn(body.text ?? '')) add('decision', sentence);
  return found;
}
