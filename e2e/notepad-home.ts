import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createTwoFilesPatch } from 'diff';
import { openFixture, recordedHome } from './fixtures';

/** Sessions of the home by what they did to notes: all of one project, on the plan `rate-limit`. */
export const notedSessions = {
  /** Planned, and wrote the draft: a call as the program recorded it. */
  planner: 'ses_dd82cb886ffeN5DYv3b3p1Fv8j',
  /** Edited the decisions; `revert` takes that turn back. */
  worker: 'ses_dd82c6f55ffeugXUd0gM9wcQcs',
  /** Wrote the learnings. */
  helper: 'ses_dd82c5ae0ffe68bPGUU30iDMXD',
  /** Wrote the problems; `forget` deletes it. */
  deleted: 'ses_dd82c2330ffe51GoCaaD68ln6o',
};

/** Parts that wrote, by the notepad they are made to have written. */
export const notedParts = {
  draft: 'prt_227d36fec001DMwHCo7G2z4WgD', learnings: 'prt_227d3a777001TMR4DK8RYVrLDb', problems: 'prt_227d3e0bf001D5iKswRhTvHHBH', decisions: 'prt_227d3eda6001mJM1YQ1EUzekXC',
};

const project = 'projects/ratelimit';
const notepads = `${project}/.omo/notepads/rate-limit`;

export interface NotedHome {
  home: string;
  /** The folder of the notepads. */
  folder: string;
  /** Reverts the worker's session to before the message that wrote the decisions, as the program stores it. */
  revert(): void;
  /** Makes that revert final, as the next prompt does: the program deletes what it hid. */
  finishRevert(): void;
  /** Deletes a session as the program does. */
  forget(): void;
  dispose(): void;
}

/**
 * A home with OMO's notepads that sessions wrote. No fixture has a session that wrote one (the plugin put their heads
 * there, and drafts were written), so three recorded calls of a real run are pointed at notepads, their words with
 * them, in the shape that the program gave such calls; the notepads lie there as those calls and a person left them.
 */
export function notepadHome(): NotedHome {
  const { home, dispose } = openFixture('omo', 'boulder-active');
  const folder = join(home, notepads);
  const database = join(home, '.local/share/opencode/opencode.db');
  const db = new Database(database);
  const recorded = (name: string) => `${recordedHome}/${notepads}/${name}.md`;
  const head = (name: string) => readFileSync(join(folder, `${name}.md`), 'utf8');

  const learnings = `${head('learnings')}- Buckets refill by elapsed time\n`;
  const problems = '# Problems\n\n- Clients behind one address share a bucket\n';
  const decided = `${head('decisions')}- Key clients by address\n`;
  rewrite(db, notedParts.learnings, { filePath: recorded('learnings'), content: learnings }, { diagnostics: {}, filepath: recorded('learnings'), exists: true, truncated: false });
  rewrite(db, notedParts.problems, { filePath: recorded('problems'), content: problems }, { diagnostics: {}, filepath: recorded('problems'), exists: true, truncated: false });
  const diff = createTwoFilesPatch(recorded('decisions'), recorded('decisions'), head('decisions'), decided).replace(/^=+$/m, (rule) => `Index: ${recorded('decisions')}\n${rule}`);
  rewrite(db, notedParts.decisions, { filePath: recorded('decisions'), oldString: '---', newString: '---\n- Key clients by address' }, {
    diagnostics: {}, diff, filediff: { file: recorded('decisions'), patch: diff, additions: 1, deletions: 0 }, truncated: false,
  });
  db.close();

  const changed = new Date('2026-11-29T16:00:00Z');
  for (const [name, text] of [['learnings', `${learnings}- Added by hand\n`], ['problems', problems], ['decisions', decided]] as const) {
    writeFileSync(join(folder, `${name}.md`), text);
    utimesSync(join(folder, `${name}.md`), changed, changed);
  }
  const reverted = 'msg_227d3ec1f001h6lPd6c9z8pRgS';
  const change = (statement: string, ...values: string[]) => {
    const writer = new Database(database);
    writer.prepare(statement).run(...values);
    writer.close();
  };
  return {
    home, folder, dispose,
    revert: () => change('UPDATE session SET revert = ?, time_updated = time_updated + 1 WHERE id = ?', JSON.stringify({ messageID: reverted, diff: '' }), notedSessions.worker),
    finishRevert: () => {
      change('DELETE FROM part WHERE session_id = ? AND message_id >= ?', notedSessions.worker, reverted);
      change('DELETE FROM message WHERE session_id = ? AND id >= ?', notedSessions.worker, reverted);
      change('UPDATE session SET revert = NULL, time_updated = time_updated + 1 WHERE id = ?', notedSessions.worker);
    },
    forget: () => {
      for (const [table, column] of [['part', 'session_id'], ['message', 'session_id'], ['session', 'id']]) change(`DELETE FROM ${table} WHERE ${column} = ?`, notedSessions.deleted);
    },
  };
}

function rewrite(db: Database.Database, part: string, input: object, metadata: { diagnostics: object; filepath?: string; exists?: boolean; diff?: string; filediff?: { file: string; patch: string; additions: number; deletions: number }; truncated: boolean }): void {
  const { data } = db.prepare('SELECT data FROM part WHERE id = ?').get(part) as { data: string };
  const call = JSON.parse(data) as { state: { title: string } };
  const title = (metadata.filepath ?? metadata.filediff?.file ?? '').replace(`${recordedHome}/${project}/`, '');
  db.prepare('UPDATE part SET data = ? WHERE id = ?').run(JSON.stringify({ ...call, state: { ...call.state, input, metadata, title } }), part);
}
