import { messageId, partId, type PartView, type SessionId } from '@shared/model';
import { messageKeyOf, partKey, type ViewRow } from '../../queries/part-rows';
import type { Place } from '../redaction/findings';
import type { OpenedSession } from './opened-session';

export const partPlace = (session: SessionId, row: ViewRow, key: string): Place => ({ session, message: messageId(session, messageKeyOf(row)), part: partId(session, key), index: row.seq });

export const placeOfView = (session: SessionId, part: PartView): Place => ({ session, message: part.message.id, part: part.id, index: part.index });

/** What stands beside the parts of a session. */
export const beside = (session: SessionId): Place => ({ session, message: null, part: null, index: null });

/** The place that a record's key names; beside the parts where it shows nothing. */
export function placeOfKey({ id, timeline }: OpenedSession, key: string): Place {
  const row = timeline.row(`${id}#${key}`);
  return row ? partPlace(id, row, partKey(row)) : beside(id);
}
