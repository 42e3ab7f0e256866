import { appendFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fixture } from '../../../e2e/fixtures';
import { type DrivenSession, type DrivenStore, Driver } from './claude-code/drive.test-support';
import type { ContextBlock, ContextRequest, Draft, Making, RecordFact, SentPiece, SessionStore, SessionToWrite, StoreWriter, WritePoint, WriteRefusal } from './store';

/** A home whose sessions are forked at every point there is. */
export interface WriteCase {
  name: string;
  open(): Fixture;
}

/** What may differ between a session and its fork at a point, beyond ids. */
export interface WriteRules {
  /** A record that the store leaves out of a fork, though it stands before the point (an unfinished reply): its index. */
  leavesOut(session: SessionToWrite, point: WritePoint): readonly number[];
}

/**
 * The property every store's forks have, at every prompt of every branch, at every answer of the current one, and at the end: the fork, read back by
 * Retrace, is known as a fork of the original, and its context is what the original's was at the point. The original
 * keeps every byte. For stores whose forks are files.
 */
export function acceptForks(store: SessionStore, cases: WriteCase[], rules: WriteRules): void {
  describe.each(cases)(`${store.agent}: forks of $name`, ({ open }) => {
    test('have the context of the point, know their parent, and leave every other file as it was', async () => {
      const fixture = open();
      try {
        const before = filesOf(fixture.home);
        const driver = new Driver(store, fixture.home);
        const driven = driver.result(driver.pass());
        const forks = await forkEverywhere(store, driver, driven, rules);
        const after = filesOf(fixture.home);
        for (const [path, state] of before) expect(after.get(path), path).toEqual(state);
        const again = new Driver(store, fixture.home);
        const read = again.result(again.pass());
        for (const { draft, expected, parent, place } of forks) {
          const fork = read.sessions.get(draft.session ?? '');
          if (!fork) throw new Error(`the fork of ${place} is not there`);
          const sameIds = (text: string) => text.replaceAll(fork.native, parent);
          expect(contextOf(store, read, fork, null, null).map(sameIds), place).toEqual(expected);
          expect(fork.edges.map(({ kind, parent: from, certainty }) => ({ kind, from, certainty })), place).toEqual([{ kind: 'fork', from: parent, certainty: 'recorded' }]);
          expect(fork.settled.branches, place).toHaveLength(1);
        }
      } finally {
        fixture.dispose();
      }
    });
  });
}

interface MadeFork {
  draft: Draft;
  /** The context of the original at the point, piece by piece. */
  expected: string[];
  parent: string;
  place: string;
}

async function forkEverywhere(store: SessionStore, driver: Driver, driven: DrivenStore, rules: WriteRules): Promise<MadeFork[]> {
  const forks: MadeFork[] = [];
  for (const session of driven.sessions.values()) {
    if (session.facts.ignored || session.facts.kind === 'subagent') continue;
    const writable = sessionToWrite(driver, driven, session);
    for (const point of pointsOf(session)) {
      const draft = await planned(store).planFork(writable, point, {}, making(forks.length));
      const place = `${session.native} before ${point.before === null ? 'nothing' : (session.spine.records[point.before]?.key ?? point.before)}`;
      const left = rules.leavesOut(writable, point);
      const expected = contextOf(store, driven, session, point, left);
      if ('refused' in draft) {
        expect(expected.length, `${place}: ${draft.refused}`).toBe(0);
        continue;
      }
      forks.push({ draft, place, parent: session.native, expected });
    }
  }
  for (const { draft } of forks) applyFiles(draft);
  return forks;
}

const planned = (store: SessionStore): StoreWriter => {
  if (!store.writer) throw new Error(`${store.agent} has no writer`);
  return store.writer;
};

/** Ids that are the same in every run. */
export const making = (seed: number): Making => ({
  now: Date.UTC(2027, 0, 1),
  random: (bytes) => Uint8Array.from({ length: bytes }, (_, at) => (at < 4 ? (seed >>> (8 * at)) & 0xff : (at * 37 + 11) & 0xff)),
});

/** Before each prompt of each branch, before each answer of the current one, and at the end of each. */
export function pointsOf(session: DrivenSession): WritePoint[] {
  return session.settled.branches.flatMap(({ path, current }, branch) => {
    const { records } = session.spine;
    const points = path.filter((index, place) => {
      const record = records[index];
      const isAnswer = record?.role === 'assistant' && path.slice(0, place).every((earlier) => records[earlier]?.message !== record.message);
      return record?.prompt === true || (current && isAnswer);
    });
    return [...points, null].map((before) => pointAt(session, branch, before));
  });
}

export function pointAt(session: DrivenSession, branch: number, before: number | null): WritePoint {
  const path = session.settled.branches[branch]?.path ?? [];
  return { branch, path, before, kept: before === null ? path : path.slice(0, path.indexOf(before)) };
}

/** A driven session as a writer gets it. */
export function sessionToWrite(driver: Driver, driven: DrivenStore, session: DrivenSession): SessionToWrite {
  return {
    location: driven.location, native: session.native, facts: session.facts, folder: session.facts.directory, spine: session.spine, settled: session.settled, isLive: true,
    record: (index) => {
      const record = session.records[index];
      if (!record) throw new Error(`no record ${index}`);
      return driver.recordBytes(record.source, record);
    },
    file: (key) => (driver.sources.has(key) ? driver.bytesOf(key) : null),
  };
}

/** The context of a session at a point, a line a piece: role, kind, text, and what is sent of an output. */
function contextOf(store: SessionStore, driven: DrivenStore, session: DrivenSession, point: WritePoint | null, left: readonly number[] | null): string[] {
  if (!store.context) throw new Error(`${store.agent} tells no context`);
  const isCurrent = point === null || session.settled.branches[point.branch]?.current === true;
  const request: ContextRequest = { spine: session.spine, settled: session.settled, branch: isCurrent ? null : point.branch, before: point?.before ?? null, parts: blocksOf(session) };
  const out = new Set(left ?? []);
  const told = toldParts(driven, session);
  return store.context(request).sent.filter((piece) => !out.has(piece.type === 'part' ? piece.record : piece.from)).map((piece) => told(piece));
}

/** How pieces of a session are told; each part's body is read once. */
function toldParts(driven: DrivenStore, session: DrivenSession): (piece: SentPiece) => string {
  const known = bodies.get(session) ?? new Map<string, string>();
  bodies.set(session, known);
  return (piece) => {
    if (piece.type === 'synthetic') return `${piece.role} made: ${piece.text}`;
    const record = session.records[piece.record];
    const place = `${piece.record} ${piece.block}`;
    let words = known.get(place);
    if (words === undefined) {
      const part = session.parts.find((candidate) => candidate.record === record && candidate.fact.block === piece.block);
      if (!part) return 'a part that is not there';
      const { text, tool, file } = driven.body(part);
      known.set(place, (words = `${part.fact.kind} ${JSON.stringify({ text, tool, file })}`));
    }
    return `${piece.role ?? record?.message?.role} ${piece.output} ${words}`;
  };
}

const bodies = new WeakMap<DrivenSession, Map<string, string>>();

function blocksOf(session: DrivenSession): ContextBlock[][] {
  const blocks: ContextBlock[][] = session.records.map(() => []);
  const placeOf = new Map<RecordFact, number>(session.records.map((record, index) => [record, index]));
  for (const { fact, record, result } of session.parts) {
    blocks[placeOf.get(record) ?? -1]?.push({
      block: fact.block, kind: fact.kind, size: fact.size, outputSize: result?.fact.size ?? fact.output?.size ?? 0, status: fact.tool?.status ?? null,
      result: result === null ? -1 : result.record === record ? -1 : (placeOf.get(result.record) ?? -1),
    });
  }
  return blocks;
}

/** Does the file steps of a draft, without any of the guards: what stands here is tested by the plans. */
export function applyFiles(draft: Draft): void {
  for (const step of draft.steps) {
    if (step.kind !== 'file') throw new Error(`a ${step.kind} step`);
    if (step.after === null) rmSync(step.path);
    else if ('append' in step.after) appendFileSync(step.path, step.after.append);
    else {
      mkdirSync(dirname(step.path), { recursive: true });
      writeFileSync(step.path, Buffer.concat([...step.after.content.pieces()]), { flag: step.before.state === 'absent' ? 'wx' : 'w', ...(step.mode === undefined ? {} : { mode: step.mode }) });
      if (step.modified !== undefined) utimesSync(step.path, new Date(), new Date(step.modified));
    }
  }
}

/** The draft, or a failing test that says why there is none. */
export function drafted(outcome: Draft | WriteRefusal): Draft {
  if ('refused' in outcome) throw new Error(outcome.refused);
  return outcome;
}

function filesOf(home: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(home, path), `${lstatSync(path).mtimeMs} ${readFileSync(path, 'base64')}`);
  }
  return files;
}
