import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laterCode } from '@shared/contract';
import { type ContextHome, listed, openHome } from './home.test-support';

describe('branches and points of a session that was rewound', () => {
  let home: ContextHome;
  const session = 'claude-code/668bfb69-92c3-4453-af88-82ab42de9ae5';
  beforeAll(async () => void (home = await openHome('claude-code', 'rewind')), 60_000);
  afterAll(() => home.close());

  const prompts = async (place: { branch?: string; at?: string }) => {
    const context = await home.context(session, place);
    return { branch: context.branch, prompts: listed(context, await home.parts(session)).filter((line) => line.startsWith('user text live')).map((line) => line.slice('user text live: '.length)) };
  };

  test('each branch has its own prompts', async () => {
    expect(await Promise.all(['1', '2', '3'].map((branch) => prompts({ branch })))).toMatchInlineSnapshot(`
      [
        {
          "branch": "1",
          "prompts": [
            "Please add a greeting module",
            "Now make the greeting louder",
            "Next, record the build with a shell command",
            "Also drop the util helper",
          ],
        },
        {
          "branch": "2",
          "prompts": [
            "Please add a greeting module",
            "Now make the greeting louder",
            "Please list what exists now",
            "Please rename greet to salute",
          ],
        },
        {
          "branch": "3",
          "prompts": [
            "Please add a greeting module",
            "Now make the greeting louder",
            "Please list what exists now",
            "Please rename greet to welcome",
            "Please tell me the final state",
          ],
        },
      ]
    `);
  });

  test('a point on another branch finds that branch; states say what comes later', async () => {
    const off = (await home.parts(session)).filter(({ state, kind, message }) => state === 'off-branch' && kind === 'text' && message.role === 'user').at(-1);
    const found = await home.context(session, { at: off?.message.id ?? '' });
    expect({ branch: found.branch, at: found.at === off?.message.id }).toEqual({ branch: '2', at: true });
    const states = await home.ask('context.states', { session, at: off?.id });
    expect(states && 'states' in states && states.states[off?.index ?? 0]).toBe(laterCode);
  });

  test('what is not there is refused in a sentence', async () => {
    expect(await home.ask('context.get', { session, branch: '9', from: 0, count: 1 })).toEqual({ refused: 'There is no branch 9; there are 1 to 3.' });
    expect(await home.ask('context.states', { session, at: `${session}#nowhere` })).toEqual({ refused: `The session has no message or part ${session}#nowhere.` });
    expect(await home.ask('context.get', { session: 'claude-code/none', from: 0, count: 1 })).toBeNull();
  });
});

describe('a session that was compacted', () => {
  let home: ContextHome;
  beforeAll(async () => void (home = await openHome('claude-code', 'compact')), 60_000);
  afterAll(() => home.close());

  test('its epochs with sizes, and what the last summary does not name', async () => {
    const session = home.sessions[0]?.id ?? '';
    const history = await home.ask('context.history', { session });
    if (!history || 'refused' in history) throw new Error('no history');
    expect(history.epochs.map(({ ends, compaction }) => [compaction?.trigger ?? null, ends?.estimated ?? null, compaction?.before?.tokens ?? null, compaction?.after?.tokens ?? null, compaction?.summaries.length ?? 0])).toMatchInlineSnapshot(`
      [
        [
          "manual",
          false,
          2621,
          3750,
          1,
        ],
        [
          "auto",
          false,
          985035,
          3010,
          1,
        ],
        [
          null,
          false,
          null,
          null,
          0,
        ],
      ]
    `);
    expect(history.points.filter(({ cause }) => cause === 'compaction')).toHaveLength(history.epochs.length - 1);
    const losses = await home.ask('context.losses', { session, part: history.epochs[0]?.compaction?.part ?? '' });
    if (!losses || 'refused' in losses) throw new Error('no losses');
    expect({ found: losses.found, lost: losses.lost.map(({ kind, text }) => `${kind} ${text}`) }).toMatchInlineSnapshot(`
      {
        "found": {
          "command": {
            "kept": 0,
            "total": 0,
          },
          "decision": {
            "kept": 0,
            "total": 0,
          },
          "file": {
            "kept": 1,
            "total": 1,
          },
        },
        "lost": [],
      }
    `);
  });

  test('the parts it compacted name the part to go to', async () => {
    const parts = await home.parts(home.sessions[0]?.id ?? '');
    const compacted = parts.find(({ state }) => state === 'compacted');
    expect(parts.find(({ id }) => id === compacted?.cause)?.kind).toBe('compaction');
  });
});
