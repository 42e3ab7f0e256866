import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Fixture, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { overlayFiles, type OverlayFiles } from '../../queries/work/overlay-files';
import { OverlayShelf } from './overlay-shelf.test-support';

/** What OMO's own functions return for a folder (`omo_own_reading` of expected.json). */
interface OwnReading {
  boulder_file: 'present' | 'absent';
  boulder_readable: boolean;
  active_work_id: string | null;
  works:
    | {
        work_id: string; plan_name: string; status: string | null; started_at: string; ended_at: string | null; session_ids: string[]; session_origins: Record<string, string>;
        task_sessions: Record<string, { session_id: string; status: string | null; title: string }>; plan_path: string; plan_exists: boolean;
        progress: { total: number; completed: number; isComplete: boolean };
      }[]
    | null;
  plans: Record<string, { total: number; completed: number; isComplete: boolean; next: string | null }>;
  markers: Record<string, { active: boolean; reason: string | null; sources: Record<string, string> }>;
  ralph_loop: Record<string, unknown> | null;
  goals: Record<string, { sessionID: string; status: string; objective: string }>;
}

interface Expected {
  sessions: { id: string; agent: string }[];
  omo_own_reading: Record<string, OwnReading>;
}

const withoutPrefix = (id: string): string => id.replace(/^opencode:/, '');

describe.each(fixtureNames('omo'))('%s', (name) => {
  let fixture: Fixture;
  let shelf: OverlayShelf;
  let files: OverlayFiles;
  let expected: Expected;
  beforeAll(async () => {
    fixture = openFixture('omo', name);
    expected = fixture.expected as Expected;
    shelf = new OverlayShelf(fixture.home);
    await shelf.pass();
    files = overlayFiles(shelf.library.db);
  });
  afterAll(() => {
    shelf.dispose();
    fixture.dispose();
  });

  test('reads what the plugin itself reads', () => {
    expect(Object.keys(expected.omo_own_reading).length).toBeGreaterThan(0);
    for (const [folder, own] of Object.entries(expected.omo_own_reading)) {
      const here = <T extends { row: { folder: string }; layout: string }>(list: T[]): T[] => list.filter(({ row, layout }) => row.folder === folder && layout === '.omo');
      const works = shelf.list().items.filter((item) => item.folder === folder && item.layout === '.omo' && item.work !== null);
      expect(works.map(({ work }) => work).sort()).toEqual((own.works ?? []).map(({ work_id: id }) => id).sort());
      expect(here(files.boulders).length).toBe(own.boulder_file === 'present' ? 1 : 0);
      expect(works.find(({ active }) => active)?.work ?? null).toBe(own.active_work_id);
      for (const work of own.works ?? []) {
        const item = works.find((each) => each.work === work.work_id);
        expect(item).toMatchObject({ name: work.plan_name, started: work.started_at, ended: work.ended_at, status: { recorded: work.status } });
        expect(item?.plan).toMatchObject({
          path: work.plan_path, state: 'present', progress: { rule: 'current', total: work.progress.total, done: work.progress.completed, complete: work.progress.isComplete },
        });
        expect(item?.sessions.filter(({ role }) => role !== 'task').map(({ session, role }) => [session.nativeId, role])).toEqual(
          work.session_ids.map((id) => [withoutPrefix(id), work.session_origins[id]]),
        );
        expect(Object.fromEntries(item?.tasks.map(({ key, session, status, title }) => [key, { session_id: session?.nativeId, status, title }]) ?? [])).toEqual(
          Object.fromEntries(Object.entries(work.task_sessions).map(([key, task]) => [key, { ...task, session_id: withoutPrefix(task.session_id) }])),
        );
      }
      expect(Object.fromEntries(files.plans.filter(({ row }) => row.folder === folder).map(({ row, progress: { current } }) => [row.path, { total: current.total, completed: current.done, isComplete: current.complete, next: current.current }]))).toEqual(own.plans);
      expect(Object.fromEntries(here(files.markers).map(({ value }) => [value.session, {
        active: value.active, reason: value.sources.find(({ state }) => state === 'active')?.reason ?? null, sources: Object.fromEntries(value.sources.map((source) => [source.name, source.state])),
      }]))).toEqual(own.markers);
      expect(Object.fromEntries(here(files.goals).map(({ row, value }) => [row.path.split('/').at(-1), { sessionID: value.session, status: value.status, objective: value.objective }]))).toEqual(own.goals);
      const loop = here(files.loops)[0]?.value;
      expect(loop ?? null).toEqual(own.ralph_loop && {
        active: own.ralph_loop['active'], iteration: own.ralph_loop['iteration'], most: own.ralph_loop['max_iterations'], promise: own.ralph_loop['completion_promise'],
        started: own.ralph_loop['started_at'], session: own.ralph_loop['session_id'], strategy: own.ralph_loop['strategy'], prompt: own.ralph_loop['prompt'], ultrawork: false,
      });
    }
    expect(files.damage).toEqual([]);
  });

  test('names who works in each session, by the name the store has', () => {
    for (const { id, agent } of expected.sessions) {
      const told = [...shelf.list().items.flatMap(({ sessions }) => sessions.map(({ session }) => session)), ...shelf.list().goals.map(({ session }) => session)].filter(({ nativeId }) => nativeId === id);
      for (const session of told) expect(session.agentName).toBe(agent);
    }
  });
});

async function opened<T>(name: string, look: (shelf: OverlayShelf) => T): Promise<T> {
  const fixture = openFixture('omo', name);
  const shelf = new OverlayShelf(fixture.home);
  try {
    await shelf.pass();
    return look(shelf);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

const brief = (shelf: OverlayShelf) =>
  shelf.list().items.map(({ name, layout, copy, status, plan, copies, sessions, active }) => ({
    name, layout, copy, active, recorded: status.recorded, now: status.now, certainty: status.certainty, progress: `${plan.progress?.done}/${plan.progress?.total} ${plan.progress?.rule}`,
    copies: copies.map(({ path, progress }) => `${path.replace(/^.*(?=\/\.)/, '')} ${progress?.done}/${progress?.total}`),
    sessions: sessions.map(({ session, role, tasks }) => `${session.title} ${role} ${session.state}${tasks.map((task) => ` ${task}`).join('')}`),
  }));

test('boulder-active: paused is inferred, and the marker that was left is named as such', async () => {
  await opened('boulder-active', (shelf) => {
    expect(brief(shelf)).toEqual([
      {
        name: 'rate-limit', layout: '.omo', copy: 'live', active: true, recorded: 'active', now: 'paused', certainty: 'inferred', progress: '2/6 current', copies: [],
        sessions: ['Rate limiter work direct living', 'Find header names (@explore subagent) appended dead 3', 'Token bucket (@Sisyphus-Junior subagent) task living 1', 'HTTP middleware (@Sisyphus-Junior subagent) task living 2'],
      },
    ]);
    const [item] = shelf.list().items;
    expect(item?.status.evidence).toBe(
      'boulder.json says active, which nothing takes back when everybody leaves; none of its sessions was written since 2026-11-29 15:02 UTC. The marker of “Rate limiter work” still says active (1 background task(s) active), as a killed program leaves it.',
    );
    expect(item?.status.since).toBe('2026-11-29T15:02:14.670Z');
    expect(item?.plan.otherRules).toEqual([{ rule: '3.0', done: 2, total: 8, complete: false, current: 'this box is outside the counted sections' }]);
    const plan = shelf.work.plan({ item: item?.id ?? '' });
    expect(plan?.boxes.filter(({ counts }) => counts).map(({ text }) => text)).toEqual([
      '1. Implement the token bucket', '2. Wire the bucket into the HTTP middleware', '3. Document the response headers', '4. Add a load test', 'F1. Plan compliance audit', 'F2. Manual check with a burst of requests',
    ]);
    expect(plan?.notes.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['draft rate-limit', 'notepad decisions', 'notepad issues', 'notepad learnings', 'notepad problems']);
    expect(plan?.notes[3]?.text).toBe(
      '# Learnings — rate-limit\n\nConventions, patterns, and successful approaches discovered during work on this plan.\n\n_Auto-scaffolded by /start-work. Append new entries below - never overwrite._\n\n---\n',
    );
    expect(plan?.planners.map(({ session, certainty, evidence }) => [session.title, session.agentName, certainty, evidence])).toEqual([
      ['Plan the rate limiter', 'Prometheus - Plan Builder', 'inferred', 'It wrote .omo/plans/rate-limit.md with a tool call.'],
    ]);
    const worker = shelf.of('ses_dd82c6f55ffeugXUd0gM9wcQcs');
    expect(worker?.plans.map(({ name, role }) => `${name} ${role}`)).toEqual(['rate-limit direct']);
    expect(worker?.marker).toMatchObject({ active: true, judgement: 'Neither the session nor a helper of it was written since 2026-11-29 15:02 UTC: it was most likely left behind when the program ended.' });
    expect(shelf.of('ses_dd82cb886ffeN5DYv3b3p1Fv8j')).toMatchObject({ plans: [{ name: 'rate-limit', role: 'planner', certainty: 'inferred' }], marker: { active: false, judgement: null } });
    expect(shelf.of('ses_dd82c2330ffe51GoCaaD68ln6o')?.plans).toMatchObject([{ role: 'task', tasks: [{ key: 'todo:2', status: 'completed', elapsedMs: 996, category: 'quick' }] }]);
  });
});

test('boulder-active, seen while it was worked on: active, as recorded', async () => {
  const fixture = openFixture('omo', 'boulder-active');
  const shelf = new OverlayShelf(fixture.home, '2026-11-29T15:05:00Z');
  await shelf.pass();
  expect(shelf.list().items[0]?.status).toEqual({
    recorded: 'active', now: 'active', certainty: 'recorded', evidence: 'One of its sessions was written at 2026-11-29 15:02 UTC.', since: '2026-11-29T15:01:46.489Z',
  });
  expect(shelf.of('ses_dd82c6f55ffeugXUd0gM9wcQcs')?.marker?.judgement).toBeNull();
  shelf.dispose();
  fixture.dispose();
});

test('works: three works, one with a worktree, one with a session that was deleted', async () => {
  await opened('works', (shelf) => {
    expect(brief(shelf).map(({ name, now, recorded, progress, active }) => `${name} ${now} (${recorded}) ${progress}${active ? ' active one' : ''}`).sort()).toEqual([
      'cleanup paused (active) 2/5 current active one', 'done-soon completed (completed) 1/1 current', 'search paused (active) 1/3 current',
    ]);
    const items = Object.fromEntries(shelf.list().items.map((item) => [item.name, item]));
    expect(items['cleanup']?.sessions.map(({ session }) => [session.nativeId, session.id, session.state])).toEqual([
      ['ses_dd81fa8b6ffeU0oa45Q5edTu0u', 'opencode/ses_dd81fa8b6ffeU0oa45Q5edTu0u', 'dead'],
      ['ses_dd81f645affealn3zjfhawYPAG', null, 'missing'],
    ]);
    expect(items['search']).toMatchObject({ worktree: '/home/dev/projects/notes-search', plan: { where: 'project', path: '/home/dev/projects/notes/.omo/plans/search.md' } });
    expect(items['done-soon']?.status).toEqual({ recorded: 'completed', now: 'completed', certainty: 'recorded', evidence: 'boulder.json says completed.', since: '2026-11-29T15:15:32.009Z' });
  });
});

test('stopped: plans without a record of work', async () => {
  await opened('stopped', (shelf) => {
    expect(brief(shelf).map(({ name, now, progress }) => `${name} ${now} ${progress}`).sort()).toEqual(['cleanup open 2/5 current', 'done-soon completed 1/1 current', 'search open 1/3 current']);
    expect(shelf.of('ses_dd81dabeaffeE30fEZNRPUHLPf')?.marker).toMatchObject({ active: false, sources: [{ name: 'background-task', state: 'idle' }, { name: 'stop', state: 'stopped' }] });
  });
});

test('goals: active, paused with a mirror that says otherwise, complete', async () => {
  await opened('goals', (shelf) => {
    expect(shelf.list().goals.map(({ session, status, mirror, objective, completed }) => [session.title, status, mirror, objective, completed]).sort()).toEqual([
      ['Goal: finished', 'complete', null, '@@goalC@@ Produce a table of contents', '2026-11-29T15:07:57.000Z'],
      ['Goal: index notes', 'active', null, '@@goalA@@ Index every note by topic', null],
      ['Goal: paused', 'paused', 'in_progress', '@@goalB@@ Translate every note', null],
      ['Unfinished todos', 'active', null, '@@todo@@ Just a plain question, no goal command', null],
    ]);
    expect(shelf.of('ses_dd826d652ffeJ8i9BPguJzNVQd')?.goal?.status).toBe('paused');
  });
});

test('legacy-sisyphus: the old layout under the old rule, and a loop that was left', async () => {
  await opened('legacy-sisyphus', (shelf) => {
    expect(brief(shelf)).toMatchObject([{ name: 'rate-limit', layout: '.sisyphus', copy: 'live', active: true, recorded: null, now: 'paused', progress: '2/6 3.17', copies: [] }]);
    expect(brief(shelf)[0]?.sessions.slice(0, 2)).toEqual(['Rate limiter work direct living', 'Find header names (@explore subagent) appended dead 3']);
    expect(shelf.of('ses_dd81b520fffeLYSD0becjeu8K9')?.marker?.active).toBe(true);
    expect(shelf.of('ses_dd81ae85affeUAQvVuSdqy3P6Z')?.loops).toMatchObject([
      { active: true, iteration: 2, most: 7, copy: 'live', judgement: 'Its session was not written since 2026-11-29 15:20 UTC: it was most likely left behind when the program ended.' },
    ]);
  });
});

test('migrated-omo: the live folder and the frozen copy, and two counts of one plan', async () => {
  await opened('migrated-omo', (shelf) => {
    expect(brief(shelf)).toMatchObject([
      { name: 'rate-limit', layout: '.omo', copy: 'live', active: true, recorded: null, now: 'paused', progress: '2/6 current', copies: ['/.omo/plans/rate-limit.md 3/6'] },
      { name: 'rate-limit', layout: '.sisyphus', copy: 'frozen', active: false, now: 'superseded', progress: '2/6 3.17', copies: ['/.omo/plans/rate-limit.md 3/6'] },
    ]);
    expect(shelf.list().items[0]?.plan.path).toBe('/home/dev/projects/ratelimit/.sisyphus/plans/rate-limit.md');
    expect(shelf.list().loops.map(({ layout, copy, judgement }) => [layout, copy, judgement?.slice(-86)])).toEqual([
      ['.omo', 'live', 'It was copied from .sisyphus: the plugin that reads .omo has no such loop to go on with.'.slice(-86)],
      ['.sisyphus', 'frozen', 'Its session was not written since 2026-11-29 15:20 UTC: it was most likely left behind when the program ended.'.slice(-86)],
    ]);
  });
});

test('team: a lead with two members, one cut off, and a task list', async () => {
  await opened('team', (shelf) => {
    const [team] = shelf.list().teams;
    expect(team).toMatchObject({ name: 'site-squad', status: 'active', created: '2026-11-29T15:56:48.944Z', lead: { title: 'Team lead' } });
    expect(team?.members.map(({ name, status, agent, model, session }) => [name, status, agent, model, session?.state])).toEqual([
      ['lead', 'idle', 'sisyphus', null, 'living'], ['header-dev', 'idle', 'Sisyphus-Junior', 'm1', 'living'], ['footer-dev', 'running', 'Sisyphus-Junior', 'm1', 'dead'],
    ]);
    expect(team?.judgement).toBe('None of its sessions was written since 2026-11-29 15:56 UTC: it was most likely left behind when the program ended.');
    expect(shelf.list().tasks.map(({ list, subject, status, session }) => [list, subject, status, session?.title])).toEqual([['site', 'Write footer', 'pending', 'Task list'], ['site', 'Write footer', 'pending', 'Task list']]);
    expect(shelf.of('ses_dd7fa06a5ffe00wnkd8g10ieVI')?.teams.map(({ name }) => name)).toEqual(['site-squad']);
    expect(shelf.of('ses_dd7fa58a2ffeclIpQmXy9wjFYc')?.tasks.map(({ id }) => id)).toEqual(['T-88a0637e-54e1-4255-92ae-f4ea423f70cc', 'T-e61f4bee-121a-4ee6-b8d0-c8d4210bfc1c']);
  });
});

test.each(['errors', 'errors-stripped'])('%s: plain OpenCode has no overlay', async (name) => {
  await opened(name, (shelf) => {
    expect(shelf.list()).toEqual({ total: 0, items: [], projects: [], goals: [], loops: [], teams: [], tasks: [], damage: [], damageTotal: 0 });
    expect(shelf.files()).toEqual({});
  });
});
