import { type MessageId, messageId, type SessionId } from '@shared/model';
import { decodeKey, encodeKey } from '../library/codes';
import type { Db } from '../library/database';

/** Stores name a message by its key; the page knows it by its first record. */
export function nativeNames(db: Db, session: number, id: SessionId): (key: string) => MessageId {
  const first = db.prepare<[string | Buffer, number], { key: string | Buffer | null }>(
    'SELECT r.key FROM message m JOIN record r ON r.id = m.first WHERE m.key = ? AND m.session = ?',
  );
  return (key) => {
    const found = first.get(encodeKey(key), session)?.key;
    return messageId(id, found === undefined || found === null ? key : decodeKey(found));
  };
}
