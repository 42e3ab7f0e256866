import type { FileStep, SessionToWrite } from '../../store';
import { expectedAt } from './on-disk';
import type { SessionPlace } from './session-place';

/** Lines added to a transcript in one write; null when the transcript is not there. A last line without an end gets one first. */
export function appendedLines(session: SessionToWrite, place: SessionPlace, lines: readonly string[], why: string): FileStep | null {
  const there = expectedAt(place.transcript);
  if (!there) return null;
  const text = `${there.endsInLine ? '' : '\n'}${lines.join('\n')}\n`;
  return { kind: 'file', path: place.transcript, within: session.location.folder, before: there.before, after: { append: Buffer.from(text) }, why };
}
