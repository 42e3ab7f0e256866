import type { NativeId } from '@shared/model';
import { assertNever } from '@shared/model';
import type { Draft, DraftStep, Making, SessionAct, SessionToWrite, WriteRefusal } from '../../store';
import { openWithoutTrace } from '../../foreign/database';
import { type Call, callJson } from './calls';
import { type OpenServer, expectedOf, ownServer, runningServer, servable } from './ways';

/**
 * Renaming, archiving and deleting are changes of OpenCode's own row: a server does them. A running one is asked first;
 * else the person's program is started, which the plan says.
 */
export async function planAct(session: SessionToWrite, act: SessionAct, making: Making): Promise<Draft | WriteRefusal> {
  const place = servable(session);
  if (typeof place === 'string') return { refused: place };
  const running = await runningServer(place.database);
  const server = typeof running === 'string' ? ownServer(session.location, place.database) : running;
  if (typeof server === 'string') return { refused: `${running as string} ${server}` };
  const where = { via: server.via, database: place.database, session: session.native, directory: place.directory };
  const draft = (steps: DraftStep[], limits: string[] = []): Draft => ({ way: server.way, steps, limits: [...server.limits, ...limits], session: session.native });
  const step = stepBy(server);
  const patch = (body: unknown) => `PATCH /session/${session.native} ${JSON.stringify(body)}`;
  switch (act.act) {
    case 'rename': {
      const old = session.facts.title ?? '';
      const back: Call = { ...where, do: 'rename', from: act.title, to: old };
      return draft([step({ ...where, do: 'rename', from: old, to: act.title }, patch({ title: act.title }), `OpenCode changes the title to “${act.title}”.`, [], { call: back, shown: patch({ title: old }), does: `OpenCode changes the title back to “${old}”.` })]);
    }
    case 'archive':
      return draft([step({ ...where, do: 'archive', at: making.now }, patch({ time: { archived: making.now } }), 'OpenCode archives the session.', [zeroStays], { call: { ...where, do: 'unarchive' }, shown: patch({ time: { archived: 0 } }), does: 'OpenCode takes the session out of the archive.' })]);
    case 'unarchive': {
      const at = session.facts.archived ?? making.now;
      return draft([step({ ...where, do: 'unarchive' }, patch({ time: { archived: 0 } }), 'OpenCode takes the session out of the archive.', [], { call: { ...where, do: 'archive', at }, shown: patch({ time: { archived: at } }), does: 'OpenCode archives the session again.' })], [zeroStays]);
    }
    case 'trash':
      return trash(session, act.children, where, draft, step);
    default:
      return assertNever(act, 'an act on a session');
  }
}

const zeroStays = 'OpenCode has no call that takes the time of archiving away: a zero stands there, which its lists take as not archived.';

type Where = Pick<Call, 'via' | 'database' | 'session' | 'directory'>;
type Step = (call: Call, shown: string, does: string, remains: string[], inverse: { call: Call; shown: string; does: string } | null) => DraftStep;

const stepBy = ({ shown: before }: OpenServer): Step => (call, shown, does, remains, inverse) => ({
  kind: 'program', program: 'opencode', call: callJson(call), shown: `${before}${shown}`, does, remains,
  inverse: inverse && { call: callJson(inverse.call), shown: `${before}${inverse.shown}`, does: inverse.does },
});

/** All rows are saved before OpenCode deletes the session; with it go all that have it as parent. */
function trash(session: SessionToWrite, children: readonly NativeId[], where: Where, draft: (steps: DraftStep[], limits: string[]) => Draft, step: Step): Draft | WriteRefusal {
  const family = familyOf(where.database, session.native);
  if (typeof family === 'string') return { refused: family };
  const helpers = family.filter((id) => id !== session.native);
  // Those right below are named by who asks; OpenCode also deletes what lies below them.
  const deeper = helpers.filter((id) => !children.some((child) => child === id));
  const expect = expectedOf(session);
  const count = `${family.length === 1 ? 'the session' : `the session and ${helpers.length === 1 ? 'one other' : `${helpers.length} others`}`}`;
  const save = step({ ...where, do: 'save', sessions: family, expect }, `SELECT * … (all rows of ${count})`, `Saves all rows of ${count} in Retrace’s journal.`, [], {
    call: { ...where, do: 'restore' }, shown: `INSERT INTO … (all rows of ${count})`, does: 'Puts all rows back, in one transaction, while no program has the database open.',
  });
  const remove = step({ ...where, do: 'delete', expect }, `DELETE /session/${session.native}`, `OpenCode deletes ${count}.`, ['A share on OpenCode’s server is taken back with it, and stays so.', 'The file storage/session_diff of a pending revert.'], {
    call: { ...where, do: 'deleted' }, shown: '(nothing)', does: 'Nothing by itself: the rows are put back.',
  });
  return draft([save, remove], deeper.length === 0 ? [] : [`OpenCode deletes subagents with their caller; these go along, too: ${deeper.join(', ')}.`]);
}

/** A session and all below it, as OpenCode deletes them. */
function familyOf(database: string, session: string): string[] | string {
  const { opened, refusal } = openWithoutTrace(database);
  if (!opened) return `${database} cannot be read: ${refusal.reason}.`;
  try {
    return opened.db
      .prepare<[string], string>('WITH RECURSIVE family(id) AS (SELECT ? UNION SELECT session.id FROM session JOIN family ON session.parent_id = family.id) SELECT id FROM family')
      .pluck()
      .all(session);
  } finally {
    opened.close();
  }
}
