import { sep } from 'node:path';
import type { Agent } from '@shared/model';
import type { Environment } from '../stores/store';
import type { Db } from './database';

/**
 * Projects that sessions of this machine ran in. What only imported sessions name is a name: a folder of another machine,
 * or one that a stranger wrote into the file.
 */
const ownProjects = `SELECT folder FROM project WHERE folder IS NOT NULL AND id NOT IN (
  SELECT s.project FROM session s JOIN store st ON st.id = s.store WHERE s.project IS NOT NULL GROUP BY s.project HAVING min(st.origin = 'import') = 1) ORDER BY folder`;

/** The environment with what the library knows: projects of all agents, and where this one was found before. */
export function surroundingsOf(db: Db, environment: Environment, agent: Agent): Environment {
  const folders = (sql: string, ...values: string[]) => (db.prepare(sql).all(...values) as { folder: string }[]).map(({ folder }) => folder);
  const projects = folders(ownProjects).map((folder) => mapped(folder, environment));
  return {
    ...environment,
    projects: environment.confined ? projects.filter((folder) => isWithin(folder, [environment.home, ...environment.added])) : projects,
    known: folders("SELECT folder FROM store WHERE agent = ? AND origin <> 'import' AND EXISTS (SELECT 1 FROM source WHERE source.store = store.id)", agent),
  };
}

/** Where a recorded path is looked for: a home from another machine lies elsewhere now. */
export function mapped(folder: string, { maps = [] }: Pick<Environment, 'maps'>): string {
  const map = maps.find(({ from }) => isWithin(folder, [from]));
  return map ? map.to + folder.slice(map.from.length) : folder;
}

/** True for a root, and for what lies in it, as their paths are written. */
export const isWithin = (folder: string, roots: string[]): boolean => roots.some((root) => folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep));
