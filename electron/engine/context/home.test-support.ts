import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answers, Checked, Method } from '@shared/contract';
import type { ContextAnswer, ContextPart, PartView, SessionSummary } from '@shared/model';
import { type FixtureFamily, openFixture } from '../../../e2e/fixtures';
import { startEngine } from '../engine';
import { Indexer } from '../indexing/indexer';
import { stores } from '../stores';

const call = { signal: new AbortController().signal };

/** A fixture read into a library of its own, and the engine that answers for it. */
export interface ContextHome {
  sessions: SessionSummary[];
  ask<M extends Method>(method: M, params: Checked<M>): Promise<Answers[M]>;
  /** The whole context, window by window. */
  context(session: string, place?: { branch?: string; at?: string }): Promise<ContextAnswer>;
  /** All parts of a session. */
  parts(session: string): Promise<PartView[]>;
  close(): Promise<void>;
}

export async function openHome(family: FixtureFamily, name: string): Promise<ContextHome> {
  const fixture = openFixture(family, name);
  const folder = mkdtempSync(join(tmpdir(), 'retrace-context-'));
  const file = join(folder, 'library.db');
  const engine = startEngine({ file, home: fixture.home, stores, index: (events) => new Indexer({ file, options: { home: fixture.home }, home: '/nobody', watch: false }, stores, events) }, () => undefined);
  await engine.methods['index.run']({}, call);
  const ask: ContextHome['ask'] = async (method, params) => (await engine.methods[method](params, call)) as never;
  const { sessions } = await ask('session.list', { filter: { archived: 'include' }, sort: 'created', from: 0, count: 1_000 });
  return {
    sessions, ask,
    async context(session, place = {}) {
      const windows: ContextPart[] = [];
      for (;;) {
        const answer = await ask('context.get', { session, ...place, from: windows.length, count: 500, whole: true });
        if (answer === null || 'refused' in answer) throw new Error(answer?.refused ?? `no session ${session}`);
        windows.push(...answer.parts);
        if (windows.length >= answer.count) return { ...answer, parts: windows };
      }
    },
    async parts(session) {
      const all: PartView[] = [];
      for (;;) {
        const answer = await ask('session.parts', { session, from: all.length, count: 200, whole: true });
        all.push(...(answer?.parts ?? []));
        if ((answer?.parts.length ?? 0) < 200) return all;
      }
    },
    async close() {
      await engine.close();
      fixture.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const oneLine = (text: string, length: number): string => text.replace(/\s+/g, ' ').trim().slice(0, length);

/** One line a piece: who, what, what has become of it, what is sent of an output, first words. A made message has `+` before its kind. */
export function listed(context: ContextAnswer, parts: readonly PartView[]): string[] {
  return context.parts.map((piece) => {
    const view = piece.id === null ? undefined : parts[piece.index ?? -1];
    const words = view ? (view.tool ? `${view.tool.name} ${view.tool.target ?? ''}` : (view.text?.text ?? view.title ?? '')) : (piece.text?.text ?? '');
    const output = piece.output === null || piece.output === 'whole' ? '' : ` (${piece.output})`;
    return `${piece.role} ${piece.id === null ? '+' : ''}${piece.kind} ${piece.state}${output}: ${oneLine(words, 60)}`.trimEnd();
  });
}
