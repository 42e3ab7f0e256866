import type { ExclusionTarget } from '@shared/model';
import { projectOfFolder } from '../project-identity';
import type { Db } from '../database';

/** A condition on `s`, `st` and `p` of the lists: what is excluded is in none of them. */
export const notExcluded =
  "NOT EXISTS (SELECT 1 FROM excluded x WHERE (x.kind = 'project' AND x.key = p.key) OR (x.kind = 'agent' AND x.key = st.agent) OR (x.kind = 'store' AND x.key = st.key))";

export interface ExcludedRow extends ExclusionTarget {
  name: string;
  folder: string | null;
  /** ms since 1970. */
  time: number;
}

/** What is left out of the library, as a pass or an act of keeping finds it. It only changes between passes. */
export class Exclusions {
  readonly rows: ExcludedRow[];
  readonly #agents: Set<string>;
  readonly #stores: Set<string>;
  readonly #projects: Set<string>;

  constructor(db: Db) {
    this.rows = db.prepare<[], ExcludedRow>('SELECT kind, key, name, folder, time FROM excluded ORDER BY time, kind, key').all();
    const keys = (kind: ExclusionTarget['kind']) => new Set(this.rows.filter((row) => row.kind === kind).map(({ key }) => key));
    this.#agents = keys('agent');
    this.#stores = keys('store');
    this.#projects = keys('project');
  }

  has({ kind, key }: ExclusionTarget): boolean {
    return this.rows.some((row) => row.kind === kind && row.key === key);
  }

  get hasProjects(): boolean {
    return this.#projects.size > 0;
  }

  coversAgent(agent: string): boolean {
    return this.#agents.has(agent);
  }

  coversStore(store: { key: string; agent: string }): boolean {
    return this.#agents.has(store.agent) || this.#stores.has(store.key);
  }

  coversProject(key: string): boolean {
    return this.#projects.has(key);
  }

  /** As far as a folder alone tells: sessions may be filed elsewhere. */
  coversFolder(folder: string): boolean {
    return this.hasProjects && this.#projects.has(projectOfFolder(folder).key);
  }
}
