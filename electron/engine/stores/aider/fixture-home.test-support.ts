import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expectedOf, type Fixture, openFixture, recordedHome } from '../../../../e2e/fixtures';
import type { ProjectInput, Projection, SessionStore } from '../store';
import { aider } from '.';
import { project } from './project';

/** What the makers of a fixture wrote down, as far as the tests read it. */
export interface ExpectedHistory {
  file: string;
  sessions: {
    started: string;
    byte_start: number;
    byte_end: number;
    entries: { role: 'user' | 'assistant' | 'tool'; bytes: [number, number]; text: string }[];
    turns: { user: string; command: boolean; assistant_blocks: number; commits: string[]; undone: string[]; applied: string[]; cost: number | null }[];
    aider_version: string | null;
    model?: string;
    edit_format?: string;
    restored?: boolean;
  }[];
  commits?: { hash: string; kind: string; session_turn: [number, number] | null }[];
  commits_named_in_chat_but_gone?: string[];
}

export const historiesOf = (name: string): ExpectedHistory[] => (expectedOf('aider', name) as { histories: ExpectedHistory[] }).histories;

/** A recorded path in the copy of the fixture. */
export const placedIn = (home: string, recorded: string): string => join(home, relative(recordedHome, recorded));

/** Folders of a fixture's home in which a history may lie, as `aiderWith` takes them. */
export function projectsOf(home: string): string[] {
  return ['proj', 'projects'].flatMap((folder) => (existsSync(join(home, folder)) ? readdirSync(join(home, folder)).map((name) => join(folder, name)) : []));
}

/** The store as it finds histories with these folders of the home added. */
export function aiderWith(folders: string[]): SessionStore {
  return {
    ...aider,
    locate: (environment) => {
      const added = folders.map((folder) => join(environment.home, folder));
      return aider.locate({ ...environment, added, known: added });
    },
  };
}

export function withFixture<T>(family: 'aider' | 'field', name: string, action: (fixture: Fixture) => T): T {
  const fixture = openFixture(family, name);
  try {
    return action(fixture);
  } finally {
    fixture.dispose();
  }
}

/** What a library would hold after these batches: the newest record a key, the newest fact a slot, damage taken back as a batch says. */
export function projectAll(source: string, pieces: Uint8Array[]): Pick<Projection, 'records' | 'evidence' | 'damage' | 'unknown'> {
  const records = new Map<string, Projection['records'][number]>();
  const evidence = new Map<string, Projection['evidence'][number]>();
  let damage: Projection['damage'] = [];
  const unknown: Projection['unknown'] = {};
  let at = 0;
  let carry: ProjectInput['carry'] = null;
  for (const bytes of pieces) {
    const from = at;
    const found = project({ source, at, bytes, carry: JSON.parse(JSON.stringify(carry)) as ProjectInput['carry'] });
    for (const record of found.records) {
      const key = `${record.session} ${record.key}`;
      const before = records.get(key);
      if (before && (before.type !== record.type || before.message?.role !== record.message?.role || before.message?.key !== record.message?.key)) throw new Error(`record ${key} became another one`);
      records.set(key, record);
    }
    for (const fact of found.evidence) evidence.set(`${fact.session} ${fact.slot}`, fact);
    if (found.removed.length > 0) throw new Error('a record was taken back');
    damage = [...damage.filter((place) => place.at !== null && place.at < from), ...found.damage];
    for (const [type, count] of Object.entries(found.unknown)) unknown[type] = (unknown[type] ?? 0) + count;
    carry = found.carry;
    at += bytes.length;
  }
  return {
    records: [...records.values()].sort((a, b) => a.at - b.at),
    evidence: [...evidence.values()].sort((a, b) => (`${a.session} ${a.slot}` < `${b.session} ${b.slot}` ? -1 : 1)),
    damage, unknown,
  };
}

/** The history's own way of writing, to make small histories in tests. */
export const written = {
  run: (started: string, ...said: string[]): string => `\n# aider chat started at ${started}\n\n${said.map(written.say).join('')}`,
  ask: (text: string): string => `\n${text.split('\n').map((line) => `#### ${line}`.trimEnd()).join('  \n')}  \n`.replace(/^####$/gm, '#### '),
  answer: (text: string): string => `\n${text.trim()}\n\n`,
  say: (text: string): string => `> ${text}  \n`,
};
