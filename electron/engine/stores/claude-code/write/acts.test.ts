import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeId } from '@shared/model';
import { expect, test } from 'vitest';
import type { FileStep } from '../../store';
import { applyFiles, drafted, making } from '../../write-acceptance';
import { planAct } from './acts';
import { bytesOf, within } from './home.test-support';

const rename = (title: string) => ({ act: 'rename' as const, title });

test('a rename appends what /rename writes, and changes the title’s file', () =>
  within('claude-code', 'titles', (home) => {
    const draft = drafted(planAct(home.writable('064e8fae'), rename(' A better\nname '), making(1)));
    const id = '064e8fae-8098-4d8d-95be-e3246addad11';
    expect((draft.steps as FileStep[]).map((step) => [home.shortPath(step), bytesOf(step).toString()])).toEqual([
      [`projects/-home-dev-projects-demo/${id}.jsonl`, `{"type":"custom-title","customTitle":"A better name","sessionId":"${id}"}\n{"type":"agent-name","agentName":"A better name","sessionId":"${id}"}\n`],
      [`projects/-home-dev-projects-demo/${id}/custom-title.json`, '{"customTitle":"A better name","by":"user","at":"2027-01-01T00:00:00.000Z"}'],
    ]);
    expect(draft.limits).toEqual([]);
    applyFiles(draft);
    expect(home.read().sessions.get(id)?.facts.title).toBe('A better name');
  }));

test('an older release gets the line alone, and a word on it', () =>
  within('claude-code', 'legacy-2.0.77', (home) => {
    const session = [...home.driven.sessions.values()].find(({ facts }) => !facts.ignored && facts.kind === 'session');
    const draft = drafted(planAct(home.writable(session?.native ?? ''), rename('A name'), making(1)));
    expect(draft.steps).toHaveLength(1);
    expect(draft.limits).toEqual(['Claude Code 2.0.77 may not show the title; 2.1.332 does.']);
  }));

test('what cannot be named or archived says why', () =>
  within('claude-code', 'titles', (home) => {
    const session = home.writable('064e8fae');
    expect(planAct(session, rename(' \n '), making(1))).toEqual({ refused: 'A title needs at least one letter.' });
    expect(planAct({ ...session, isLive: false }, rename('A'), making(1))).toEqual({ refused: 'The session is only in the library: Claude Code has no transcript of it to rename.' });
    expect(planAct(session, { act: 'archive' }, making(1))).toEqual({ refused: 'Claude Code has no archive: a session is there, or it is deleted.' });
  }));

test('a transcript that is a link is named as one, and not written to', () =>
  within('claude-code', 'rewind', (home) => {
    const session = home.writable('668bfb69');
    const path = join(session.location.folder, 'projects/-home-dev-projects-demo/668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl');
    renameSync(path, `${path}.elsewhere`);
    symlinkSync(`${path}.elsewhere`, path);
    const refused = `${path} is a link: links are not followed.`;
    expect(planAct(session, rename('A'), making(1))).toEqual({ refused });
    expect(planAct(session, { act: 'trash', children: [] }, making(1))).toEqual({ refused });
  }));

test('the trash takes every file of a session, the transcript first, and names forks that stay', () =>
  within('claude-code', 'titles', (home) => {
    const draft = drafted(planAct(home.writable('064e8fae'), { act: 'trash', children: [] }, making(1)));
    const id = '064e8fae-8098-4d8d-95be-e3246addad11';
    const steps = draft.steps as FileStep[];
    expect(steps.map((step) => [home.shortPath(step), step.after])).toEqual([
      [`projects/-home-dev-projects-demo/${id}.jsonl`, null],
      [`projects/-home-dev-projects-demo/${id}/custom-title.json`, null],
      [`file-history/${id}/2a0ae7f928767074@v2`, null],
    ]);
    for (const { path, before } of steps) {
      const bytes = readFileSync(path);
      expect(before).toEqual({ state: 'present', sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.length });
    }
    expect(draft.limits).toEqual([
      'A session was forked from it: 1bb16b21-c9be-4ba7-9846-5609b813562d. Each keeps its own copy of the conversation; saved outputs that a /branch only points at go.',
      'What was typed stays in history.jsonl.',
    ]);
    expect(draft.session).toBe(null);
    applyFiles(draft);
    expect([...home.read().sessions.keys()].sort()).toEqual(['1bb16b21-c9be-4ba7-9846-5609b813562d', 'd466ccb8-1adf-4de6-9efa-17fda96b0355']);
  }));

test('subagents, their lists and tasks go along, also where they lie beside the session', async () => {
  await within('claude-code', 'agents', (home) => {
    const children = [...home.driven.sessions.keys()].filter((native) => native.includes('.agent-')).map(nativeId);
    const draft = drafted(planAct(home.writable('ac464ab6'), { act: 'trash', children }, making(1)));
    expect(draft.steps).toHaveLength(10);
    expect(draft.limits).toEqual(['What was typed stays in history.jsonl.']);
  });
  await within('claude-code', 'legacy-2.0.77', (home) => {
    const child = [...home.driven.sessions.values()].find(({ native, facts }) => native.includes('.agent-') && !facts.ignored);
    const id = child?.native.split('.agent-') ?? [];
    const draft = drafted(planAct(home.writable(id[0] ?? ''), { act: 'trash', children: [nativeId(child?.native ?? '')] }, making(1)));
    const paths = (draft.steps as FileStep[]).map((step) => home.shortPath(step));
    expect(paths.some((path) => path.endsWith(`/agent-${id[1]}.jsonl`) && path.startsWith('projects/'))).toBe(true);
    expect(paths.some((path) => path.startsWith(`todos/${id[0]}-agent-`))).toBe(true);
  });
});

test('what is no plain file is not touched, and keeps the session', () =>
  within('claude-code', 'titles', (home) => {
    const folder = join(home.driven.location.folder, 'file-history/064e8fae-8098-4d8d-95be-e3246addad11');
    mkdirSync(join(folder, 'more'));
    writeFileSync(join(home.fixture.home, 'outside'), 'mine');
    symlinkSync(join(home.fixture.home, 'outside'), join(folder, 'more/link'));
    expect(planAct(home.writable('064e8fae'), { act: 'trash', children: [] }, making(1))).toEqual({ refused: `${join(folder, 'more/link')} is neither a file nor a folder; it is not touched.` });
  }));
