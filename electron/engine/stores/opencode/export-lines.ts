import { asJsonObject, asObject, asText, type Fields } from '../foreign/fields';
import { jsonText, type Owner, writeLine } from './lines';
import { asTime } from './records';

/**
 * Lines of the raw log made of what `opencode export` writes and of what a share holds (FORMAT.md, "Share and import"):
 * the same objects as in the older JSON layout, so that they are read in the same way.
 */

/** The stream of a session that came in one of these forms. */
export const exportedKey = (session: string): string => `storage/${session}`;

export const sessionLine = (info: Fields): Buffer => writeLine('info', JSON.stringify(withoutSecrets(info)));

/** A share's token lets others change it: it is nobody's business. */
function withoutSecrets(info: Fields): Fields {
  const share = asObject(info['share']);
  return share === null ? info : { ...info, share: { url: share['url'] ?? null } };
}

export function ownerOf(message: Fields): Owner {
  return { role: asText(message['role']), time: asTime(asObject(message['time'])?.['created']), summary: message['summary'] === true };
}

export function messageLine(session: string, message: Fields): Buffer | null {
  const id = asText(message['id']);
  return id === null ? null : writeLine('message', filed({ id, session_id: session }, message));
}

export function partLine(session: string, part: Fields, owner: Owner | null): Buffer | null {
  const [id, message] = [asText(part['id']), asText(part['messageID'])];
  return id === null || message === null ? null : writeLine('part', filed({ id, message_id: message, session_id: session }, part), owner);
}

const filed = (path: Fields, data: Fields): string => `${JSON.stringify(path).slice(0, -1)},"data":${jsonText(JSON.stringify(data))}}`;

/** An object of an export, from its bytes. */
export const exportedObject = (bytes: Buffer): Fields | null => asJsonObject(bytes.toString('utf8'));
