import { asFilledText, asObject } from '../../foreign/fields';
import type { JsonObject } from '../../store';

/** What Codex's own program is asked to do: kept in the journal as it stands. */
export type CodexCall =
  | { do: 'fork'; thread: string; lastTurn: string; title: string | null; directory: string | null }
  | { do: 'delete fork' }
  | { do: 'revert'; thread: string; beforeTurn: string; from: string }
  | { do: 'take back revert'; thread: string; from: string }
  | { do: 'name'; thread: string; name: string }
  | { do: 'archive' | 'unarchive'; thread: string };

/** A call as the journal keeps it. */
export const asJsonCall = (call: CodexCall): JsonObject => ({ ...call });

/** A call of the journal; null for one this version does not know. */
export function readCall(value: JsonObject): CodexCall | null {
  const fields = asObject(value);
  const text = (name: string) => asFilledText(fields?.[name]);
  const [thread, what] = [text('thread'), text('do')];
  if (what === 'delete fork') return { do: what };
  if (thread === null) return null;
  const [lastTurn, beforeTurn, from, name] = [text('lastTurn'), text('beforeTurn'), text('from'), text('name')];
  switch (what) {
    case 'fork':
      return lastTurn === null ? null : { do: what, thread, lastTurn, title: text('title'), directory: text('directory') };
    case 'revert':
      return beforeTurn === null || from === null ? null : { do: what, thread, beforeTurn, from };
    case 'take back revert':
      return from === null ? null : { do: what, thread, from };
    case 'name':
      return name === null ? null : { do: what, thread, name };
    case 'archive':
    case 'unarchive':
      return { do: what, thread };
    default:
      return null;
  }
}

const shownParams = (params: JsonObject): string => JSON.stringify(params).replaceAll(/"(\w+)":/g, '$1: ').replaceAll(',', ', ');

/** The request as the plan shows it. */
export function shownCall(call: CodexCall): string {
  switch (call.do) {
    case 'fork': {
      const params = { threadId: call.thread, lastTurnId: call.lastTurn, ...(call.directory === null ? {} : { cwd: call.directory }) };
      return `codex app-server: thread/fork ${shownParams(params)}${call.title === null ? '' : `, then thread/name/set ${shownParams({ name: call.title })}`}`;
    }
    case 'delete fork':
      return 'codex app-server: thread/delete {threadId: the fork}';
    case 'revert':
      return `codex app-server: thread/resume ${shownParams({ threadId: call.thread })}, then thread/revert ${shownParams({ threadId: call.thread, beforeTurnId: call.beforeTurn })}`;
    case 'take back revert':
      return `Codex's thread table: rollout_path of ${call.thread} back to ${call.from}; the new rollout is deleted`;
    case 'name':
      return `codex app-server: thread/name/set ${shownParams({ threadId: call.thread, name: call.name })}`;
    case 'archive':
    case 'unarchive':
      return `codex app-server: thread/${call.do} ${shownParams({ threadId: call.thread })}`;
  }
}
