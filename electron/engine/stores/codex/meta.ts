import { asFilledText, asJsonObject, asNumber, asObject, type Fields } from '../foreign/fields';
import { timeOf } from './fields';
import { type Base, baseOf } from './origin';

/** What a session_meta says (FORMAT.md, "First line"). It is written once and never again. */
export interface Meta {
  id: string | null;
  created: number | null;
  cwd: string | null;
  version: string | null;
  /** `cli`, `exec`, `vscode`, `mcp`, or `subagent:…`. */
  source: string | null;
  branch: string | null;
  commit: string | null;
  remote: string | null;
  forkedFrom: string | null;
  base: Base | null;
  attached: boolean;
  /** Spawned by another thread; a review is, too. */
  subagent: boolean;
  parent: string | null;
  depth: number | null;
  nickname: string | null;
  role: string | null;
  path: string | null;
  /** Ordinal before which stands only what the parent handed over. */
  start: number | null;
}

/** Reads a session_meta, or the first line of the shapes before it, which holds only some of this. */
export function readMeta(meta: Fields): Meta {
  const git = asObject(meta['git']);
  const source = asFilledText(meta['source']);
  const sub = asObject(meta['source'])?.['subagent'];
  const spawn = asObject(asObject(sub)?.['thread_spawn']);
  const word = asFilledText(sub) ?? (sub === undefined ? null : Object.keys(asObject(sub) ?? {})[0]);
  return {
    id: asFilledText(meta['id']),
    created: timeOf(meta['timestamp']),
    cwd: asFilledText(meta['cwd']),
    version: asFilledText(meta['cli_version']),
    source: source ?? (word == null ? null : `subagent:${word}`),
    branch: asFilledText(git?.['branch']),
    commit: asFilledText(git?.['commit_hash']),
    remote: asFilledText(git?.['repository_url']),
    forkedFrom: asFilledText(meta['forked_from_id']),
    base: baseOf(meta),
    attached: meta['attached_thread'] === true,
    subagent: sub !== undefined,
    parent: asFilledText(spawn?.['parent_thread_id']) ?? asFilledText(meta['parent_thread_id']),
    depth: asNumber(spawn?.['depth']),
    nickname: asFilledText(spawn?.['agent_nickname']) ?? asFilledText(meta['agent_nickname']),
    role: asFilledText(spawn?.['agent_role']),
    path: asFilledText(spawn?.['agent_path']) ?? asFilledText(meta['agent_path']),
    start: asNumber(meta['subagent_history_start_ordinal']),
  };
}

/** The `source` column of the thread table: a plain word, or the same object as JSON text. */
export function spawnIn(column: unknown): { subagent: boolean; parent: string | null; depth: number | null } {
  const meta = readMeta({ source: asJsonObject(column) ?? column });
  return { subagent: meta.subagent, parent: meta.parent, depth: meta.depth };
}
