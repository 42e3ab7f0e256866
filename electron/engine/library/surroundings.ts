import type { Agent } from '@shared/model';
import type { Environment } from '../stores/store';
import type { Db } from './database';

/** The environment with what the library knows: projects of all agents, and where this one was found before. */
export function surroundingsOf(db: Db, environment: Environment, agent: Agent): Environment {
  const folders = (sql: string, ...values: string[]) => (db.prepare(sql).all(...values) as { folder: string }[]).map(({ folder }) => folder);
  return {
    ...environment,
    projects: folders('SELECT folder FROM project WHERE folder IS NOT NULL ORDER BY folder'),
    known: folders('SELECT folder FROM store WHERE agent = ? AND EXISTS (SELECT 1 FROM source WHERE source.store = store.id)', agent),
  };
}
