import type { JsonObject } from '../../store';
import { asNumber, asObject, asText, asTexts, type Fields } from '../../foreign/fields';

/** Which server does it: one that runs, or the person's program started for it. */
export type Via = { by: 'running'; url: string } | { by: 'own'; program: string };

/** What must still be so in the session. */
export interface ExpectedSession {
  /** Id of the last message; null: it has none. */
  last: string | null;
  /** ms since 1970, as the session's row says. */
  updated: number | null;
  /** Message a pending revert goes back to. */
  revert: string | null;
}

interface Common {
  via: Via;
  /** The database the server works on. */
  database: string;
  session: string;
  directory: string;
}

/** What OpenCode is asked to do, as the journal keeps it. */
export type Call = Common &
  (
    | { do: 'fork'; expect: ExpectedSession; before: string | null; title: string | null; last: { key: string; time: number | null } | null }
    | { do: 'unfork' }
    | { do: 'hide'; expect: ExpectedSession; message: string }
    | { do: 'show'; message: string }
    | { do: 'stage'; expect: ExpectedSession; message: string }
    | { do: 'unstage'; message: string }
    | { do: 'rename'; from: string; to: string }
    | { do: 'archive'; at: number }
    | { do: 'unarchive' }
    | { do: 'save'; sessions: string[]; expect: ExpectedSession }
    | { do: 'restore' }
    | { do: 'delete'; expect: ExpectedSession }
    | { do: 'deleted' }
  );

export const callJson = (call: Call): JsonObject => JSON.parse(JSON.stringify(call)) as JsonObject;

const expected = (value: unknown): ExpectedSession => ({ last: asText(asObject(value)?.['last']), updated: asNumber(asObject(value)?.['updated']), revert: asText(asObject(value)?.['revert']) });

/** Reads a call back from the journal; null: it is none of ours. */
export function readCall(json: Fields): Call | null {
  const via = readVia(asObject(json['via']));
  const [database, session, directory] = ['database', 'session', 'directory'].map((name) => asText(json[name]));
  if (!via || database == null || session == null || directory == null) return null;
  const common = { via, database, session, directory };
  const expect = expected(json['expect']);
  const message = asText(json['message']) ?? '';
  switch (json['do']) {
    case 'fork': {
      const last = asObject(json['last']);
      return { ...common, do: 'fork', expect, before: asText(json['before']), title: asText(json['title']), last: last && { key: asText(last['key']) ?? '', time: asNumber(last['time']) } };
    }
    case 'hide':
      return { ...common, do: 'hide', expect, message };
    case 'show':
      return { ...common, do: 'show', message };
    case 'stage':
      return { ...common, do: 'stage', expect, message };
    case 'unstage':
      return { ...common, do: 'unstage', message };
    case 'rename':
      return { ...common, do: 'rename', from: asText(json['from']) ?? '', to: asText(json['to']) ?? '' };
    case 'archive':
      return { ...common, do: 'archive', at: asNumber(json['at']) ?? 0 };
    case 'save':
      return { ...common, do: 'save', sessions: asTexts(json['sessions']), expect };
    case 'delete':
      return { ...common, do: 'delete', expect };
    case 'unfork':
    case 'unarchive':
    case 'restore':
    case 'deleted':
      return { ...common, do: json['do'] };
    default:
      return null;
  }
}

function readVia(via: Fields | null): Via | null {
  const url = asText(via?.['url']);
  const program = asText(via?.['program']);
  // Only ever this machine, whatever a journal says.
  if (via?.['by'] === 'running' && url !== null && /^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(url)) return { by: 'running', url };
  return via?.['by'] === 'own' && program !== null ? { by: 'own', program } : null;
}
