import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { type Fixture, openFixture, recordedHome } from './fixtures';
import { temporaryFolder } from './launch';

/** Files by their path in the project; null takes one away. */
export type TreeFiles = Record<string, Buffer | string | null>;

/** The session of `treesHome`, the folder it works in, and its last turn: a step with one shell command. */
export const treesSession = { native: 'ses_e1c685695ffext9gqa0c8sgW3P', folder: `${recordedHome}/projects/notes-api`, turn: 3, prompt: 'msg_1e3b3542d001yoQkKHD971GXZg' };

const step = 'prt_1e3b358b3001GgqofIytRcoOLz';

/**
 * A real home of OpenCode in which the command of the session's last step changed files that no tool edits: they are
 * put into all trees of the session, and changed in those after the step.
 */
export function treesHome(before: TreeFiles, after: TreeFiles, command = 'make'): Fixture {
  const fixture = openFixture('opencode', 'v118-main');
  const folder = join(fixture.home, '.local/share/opencode');
  const [project = ''] = readdirSync(join(folder, 'snapshot'));
  const [worktree = ''] = readdirSync(join(folder, 'snapshot', project));
  const store = join(folder, 'snapshot', project, worktree);
  const db = new Database(join(folder, 'opencode.db'));
  const trees = new Set<string>();
  const rows = db.prepare('SELECT id, data FROM part WHERE session_id = ? ORDER BY id').all(treesSession.native) as { id: string; data: string }[];
  for (const row of rows) for (const [, tree] of row.data.matchAll(/"(?:snapshot|hash)":"([0-9a-f]{40})"/g)) trees.add(tree as string);
  const write = db.prepare('UPDATE part SET data = ? WHERE id = ?');
  const made = new Map([...trees].map((tree) => [tree, treeWith(store, tree, before)]));
  const last = rows.filter(({ id, data }) => id < step && data.includes('"step-start"')).flatMap(({ data }) => /"snapshot":"([0-9a-f]{40})"/.exec(data)?.[1] ?? []).at(-1) ?? '';
  const start = made.get(last) ?? '';
  const end = treeWith(store, start, after);
  for (const { id, data } of rows) {
    let text = data.replaceAll('"exit 3"', JSON.stringify(command)).replace('"exit":3', '"exit":0');
    for (const [tree, other] of made) text = text.replaceAll(tree, id >= step ? end : other);
    write.run(text, id);
  }
  const patch = { type: 'patch', hash: start, files: Object.keys(after).map((path) => `${treesSession.folder}/${path}`) };
  db.prepare('INSERT INTO part SELECT ?, message_id, session_id, time_created, time_updated, ? FROM part WHERE id = ?').run(`${step}a`, JSON.stringify(patch), step);
  db.close();
  return fixture;
}

/** A tree with some files put in or taken away. */
function treeWith(store: string, tree: string, files: TreeFiles): string {
  const own = temporaryFolder();
  const git = (args: string[], input?: Buffer | string): string =>
    execFileSync('git', ['-c', 'safe.directory=*', '-c', 'core.worktree=', '--git-dir', store, ...args], { env: { ...process.env, GIT_INDEX_FILE: join(own.path, 'index') }, input: input ?? '', encoding: 'utf8' }).trim();
  try {
    git(['read-tree', tree]);
    for (const [path, content] of Object.entries(files)) {
      if (content === null) git(['update-index', '--force-remove', path]);
      else git(['update-index', '--add', '--cacheinfo', `100644,${git(['hash-object', '-w', '--stdin'], content)},${path}`]);
    }
    return git(['write-tree']);
  } finally {
    own.remove();
  }
}
