import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FixtureFamily, fixtureNames } from '../../../e2e/fixtures';
import { DiffHome, told } from './diff-home.test-support';

interface Case {
  family: FixtureFamily;
  fixture: string;
  agent: string;
  /** Native id → what is left of the session's own changes. An Aider session is named by its place in the history. */
  sessions: Record<string, string[]>;
}

/** Every session of every fixture that changed a file, compared by eye and by `ground-truth.test.ts` with what git and the disk say. */
const cases: Case[] = [
  { family: 'opencode', fixture: 'v05-json', agent: 'opencode', sessions: {
    'ses_71f8b48c7ffeSDS0IKdENYxzJr': ['create sorted.txt +? -? inferred'],
  } },
  { family: 'opencode', fixture: 'v11-json', agent: 'opencode', sessions: {
    'ses_434d12ff1ffevZzQPZPdNDw0h7': ['edit play.py +3 -0'],
    'ses_439f781bbffea09tQ0LINHyARP': ['delete docs/old.md +0 -1 inferred'],
    'ses_43f1de800ffe0JRGIQsyPOZ1qs': ['create history.md +3 -0'],
    'ses_4496a98d8ffeeMs7imVHYUAa65': ['create docs/quiz.md +1 -0 inferred'],
    'ses_44444415fffesyZTVVuNDX4gNp': ['create docs/quiz.md +1 -0'],
    'ses_44e90eed4ffehB01dfj1ftheDx': ['edit quiz.py +3 -0', 'create report.py +3 -0'],
  } },
  { family: 'opencode', fixture: 'v115-mid', agent: 'opencode', sessions: {
    'ses_163d6df41ffeIlwU4PHdRX3P84': ['edit play.py +3 -0'],
    'ses_168fd2b83ffeHe0bTNuddZnZoN': ['delete docs/old.md +0 -1 inferred'],
    'ses_16e2397fcffe33kDQLkRuKg69u': ['create history.md +3 -0'],
    'ses_178704597ffek04WBKiFHGrceG': ['create docs/quiz.md +1 -0 inferred'],
    'ses_17349f00fffergXPdUzttIFJWT': ['create docs/quiz.md +1 -0'],
    'ses_17d969b93ffe9topEpW7ke1qRP': ['edit quiz.py +3 -0', 'create report.py +3 -0'],
  } },
  { family: 'opencode', fixture: 'v118-compaction', agent: 'opencode', sessions: {
    'ses_e5faf3c1bffeb0UnJUnLnDLlsr': ['create ROTATION.md +1 -0', 'edit beds.json +1 -1'],
  } },
  { family: 'opencode', fixture: 'v118-from-v12', agent: 'opencode', sessions: {
    'ses_434d12ff1ffevZzQPZPdNDw0h7': ['edit play.py +3 -0'],
    'ses_439f781bbffea09tQ0LINHyARP': ['delete docs/old.md +0 -1 inferred'],
    'ses_43f1de800ffe0JRGIQsyPOZ1qs': ['create history.md +3 -0'],
    'ses_4496a98d8ffeeMs7imVHYUAa65': ['create docs/quiz.md +1 -0 inferred'],
    'ses_44444415fffesyZTVVuNDX4gNp': ['create docs/quiz.md +1 -0'],
    'ses_44e90eed4ffehB01dfj1ftheDx': ['edit quiz.py +3 -0', 'create report.py +3 -0'],
  } },
  { family: 'opencode', fixture: 'v118-live', agent: 'opencode', sessions: {
    'ses_e2046f261ffefE1s9Vr81n5g9L': ['edit stars.csv +1 -0'],
  } },
  { family: 'opencode', fixture: 'v118-main', agent: 'opencode', sessions: {
    'ses_e02aa75e6ffeNpb0zNvPR7KbK3': ['edit index.html +1 -0'],
    'ses_e170ce624ffeGOgTcsafwBek3Z': ['edit README.md +2 -0'],
    'ses_e1c4ca54fffeipXfLMeNjmVdC1': ['create docs/json-storage.md +3 -0 inferred'],
    'ses_e170d02dcffertxWk7myhHfPXd': ['create docs/json-storage.md +3 -0'],
    'ses_e1c685695ffext9gqa0c8sgW3P': ['edit src/server.js +6 -1', 'edit src/store.js +4 -0', 'create test/search.test.js +9 -0'],
  } },
  { family: 'opencode', fixture: 'v118-remote-id', agent: 'opencode', sessions: {
    'ses_e64ba24c0ffeSiAts0BzBYtyhA': ['create d.txt +1 -0'],
    'ses_e69e07b6affeWyMPgnz1kwne70': ['edit tiles.txt +1 -0'],
  } },
  { family: 'opencode', fixture: 'v118-revert', agent: 'opencode', sessions: {
    'ses_e364e86deffeCldo2Qqm25QIo5': ['edit data/ports.csv +1 -0', 'edit src/chart.py +2 -2', 'edit src/tide.py +4 -0', 'create tests/test_tide.py +5 -0'],
    'ses_e3b6b944effeLb54R5shbyxppF': ['edit data/ports.csv +1 -0', 'edit src/tide.py +4 -0'],
    'ses_e3b874195ffev1CSG6ZGzIDSgk': ['edit data/ports.csv +1 -0'],
  } },
  { family: 'opencode', fixture: 'v118-share-import', agent: 'opencode', sessions: {
    'ses_e2b38726bffec1bGQpB4nw029f': ['edit /home/dev/projects/recipe-box/soup.md +1 -0'],
    'ses_e2b383067ffe4wo5r9A0SctCnp': ['create /home/dev/projects/recipe-box/moved.md +1 -0'],
  } },
  { family: 'opencode', fixture: 'v118-v2api', agent: 'opencode', sessions: {
    'ses_e45661487ffe17Y9FlqxTvfMo2': ['edit track.js +1 -1'],
  } },
  { family: 'opencode', fixture: 'v118-wrap', agent: 'opencode', sessions: {
    'ses_fe199e4fcffeCjxB0a4ZFvPBVS': ['edit log.txt +1 -0 inferred'],
    'ses_014e27763ffeCez0kQoG5oSmm5': ['edit log.txt +7 -0 inferred'],
    'ses_ffffb46e3ffeSsW3LwilTURI1L': ['edit log.txt +1 -0 inferred'],
    'ses_000090ed9ffeEHfhhu45OMHRN0': ['edit log.txt +4 -0 inferred'],
  } },
  { family: 'opencode', fixture: 'v12-sqlite', agent: 'opencode', sessions: {
    'ses_385b8e434ffe69X0KjaW7NrQK0': ['edit play.py +3 -0'],
    'ses_385b8ee1affeWtnSA58hG4jJyo': ['delete docs/old.md +0 -1 inferred'],
    'ses_38adf5401ffeefO3EBpoMgzqZe': ['create history.md +3 -0'],
    'ses_39005b001ffe7kpLqy1lNFHNXh': ['create docs/quiz.md +1 -0 inferred'],
    'ses_39005ad75ffet6eqHkuV6nU9uz': ['create docs/quiz.md +1 -0 inferred'],
    'ses_39005ad68ffeyb8m5yQrDEKwQy': ['create docs/quiz.md +1 -0'],
    'ses_39a525db3ffeFroMmfucRf8LYp': ['edit quiz.py +3 -0', 'create report.py +3 -0'],
  } },
  { family: 'claude-code', fixture: 'agents', agent: 'claude-code', sessions: {
    'ac464ab6-da7a-4724-bdcd-ef89b67cc317.agent-a0f5bb3410d20be6c': ['create note.txt +1 -0'],
  } },
  { family: 'claude-code', fixture: 'agents-print', agent: 'claude-code', sessions: {
    '55942245-b7eb-4292-a6e0-d3dd88c9e63a.agent-ac8e4a9e531b22b26': ['create note.txt +1 -0 inferred'],
  } },
  { family: 'claude-code', fixture: 'bgfork', agent: 'claude-code', sessions: {
    '2d923f07-4386-4655-8f52-9907f011b9d4': ['create model.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'compact', agent: 'claude-code', sessions: {
    '2b529454-02c3-408a-8984-b703e760cbf9': ['create parser.js +8 -0'],
  } },
  { family: 'claude-code', fixture: 'features', agent: 'claude-code', sessions: {
    '9366ad44-0395-4b00-a902-270f7819d738': ['create /home/dev/.claude/plans/please-plan-the-settings-jiggly-token.md +4 -0', 'create settings.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'fork', agent: 'claude-code', sessions: {
    '8c79ba69-f3c3-4e6e-8769-51c5ae17641c': ['create counter.js +4 -0', 'create counter.test.js +4 -0'],
    '3419ba3e-4eb6-48dd-92f7-057ce8956c77': ['create counter-class.js +4 -0'],
  } },
  { family: 'claude-code', fixture: 'fork-1.0.128', agent: 'claude-code', sessions: {
    '62a871b3-053f-49b4-9089-65273b116c83': ['create counter.js +4 -0', 'create counter.test.js +4 -0'],
    '8f74a3ee-c3cd-4575-aae4-990e94cd78d1': ['create counter-class.js +4 -0'],
  } },
  { family: 'claude-code', fixture: 'fork-1.0.16', agent: 'claude-code', sessions: {
    '0d980e98-5790-49a2-ae85-bfa4646d5262': ['create counter.test.js +4 -0'],
    '3069cb90-2c5a-4f95-bb76-91e448bfd68a': ['edit counter.js +1 -1'],
    '6ea847e7-bdff-4981-9aba-8d2e1202d237': ['create counter.js +4 -0'],
  } },
  { family: 'claude-code', fixture: 'fork-2.0.77', agent: 'claude-code', sessions: {
    '85e71b27-7c33-4a44-bb2a-410a2b0831ed': ['create counter.js +4 -0', 'create counter.test.js +4 -0'],
    '647c0b2d-e205-4fe0-afaa-9326dca79b89': ['create counter-class.js +4 -0'],
  } },
  { family: 'claude-code', fixture: 'fork-2.1.59', agent: 'claude-code', sessions: {
    '662a6282-e6e7-404b-9af7-dc8420729cc0': ['create counter.js +4 -0', 'create counter.test.js +4 -0'],
    '60fa705e-c8fb-4fad-a6e9-1e1f0f789fa8': ['create counter-class.js +4 -0'],
  } },
  { family: 'claude-code', fixture: 'legacy-1.0.128', agent: 'claude-code', sessions: {
    'd714da53-b493-430f-bff7-225aef65fc2b': ['create store.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'legacy-2.0.77', agent: 'claude-code', sessions: {
    'ed77aecd-7847-46c0-b2d3-0afd3ccb60fb': ['create store.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'legacy-2.1.59', agent: 'claude-code', sessions: {
    '04406e2f-f32b-47eb-918a-9964d5116d3b': ['create store.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'rewind', agent: 'claude-code', sessions: {
    '668bfb69-92c3-4453-af88-82ab42de9ae5': ['create greet.js +3 -0'],
  } },
  { family: 'claude-code', fixture: 'rewind-2.1.240', agent: 'claude-code', sessions: {
    '4d1a228e-6178-46bf-af35-7f3857620264': ['create greet.js +3 -0'],
  } },
  { family: 'claude-code', fixture: 'rewind-quit', agent: 'claude-code', sessions: {
    '015a39f7-6711-4137-8cb3-d16a584f3986': ['create greet.js +3 -0'],
  } },
  { family: 'claude-code', fixture: 'rewind-resend', agent: 'claude-code', sessions: {
    '5690db35-b89a-427d-b36a-03d564f39d4a': ['create greet.js +3 -0'],
  } },
  { family: 'claude-code', fixture: 'rewind-summarize', agent: 'claude-code', sessions: {
    '6255fcb2-95b3-43c9-b343-83b561ec5b2a': ['create greet.js +3 -0'],
  } },
  { family: 'claude-code', fixture: 'titles', agent: 'claude-code', sessions: {
    '1bb16b21-c9be-4ba7-9846-5609b813562d': ['create server.js +1 -0'],
    '064e8fae-8098-4d8d-95be-e3246addad11': ['create model.js +1 -0'],
  } },
  { family: 'claude-code', fixture: 'worktree', agent: 'claude-code', sessions: {
    'ce851e42-2124-475a-bbe9-ed3737ed7956': ['create .claude/worktrees/fresh/new.js +1 -0'],
    'bba5c022-dcfe-4065-8951-850211f2a866': ['edit .claude/worktrees/feature-x/app.js +1 -1'],
  } },
  { family: 'codex', fixture: 'bare-020', agent: 'codex', sessions: {
    '51be91a3-3276-4554-8e1b-0f26e4ed2166': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
  } },
  { family: 'codex', fixture: 'compaction', agent: 'codex', sessions: {
    '01a22803-3093-7e80-9c9b-8b5f9b8446c2': ['edit src/tide.js +5 -0', 'create test/tide.test.js +4 -0'],
  } },
  { family: 'codex', fixture: 'compressed', agent: 'codex', sessions: {
    '01a22803-baac-7a91-afe9-9b970f2134d5': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
    '01a22803-c0d4-7db3-81a9-77da1545d23d': ['delete NOTES.md +? -? inferred'],
  } },
  { family: 'codex', fixture: 'exec-patch-plan', agent: 'codex', sessions: {
    '01a22802-7c44-7043-a645-a8af3f78f5df': ['delete notes.txt +0 -1', 'rename src/tide.js -> src/tides.js +6 -1', 'create test/tide.test.js +4 -0'],
  } },
  { family: 'codex', fixture: 'fork-tree', agent: 'codex', sessions: {
    '01a22802-93eb-7702-8562-6597124c7eff': ['edit src/tide.js +5 -0', 'create test/tide.test.js +4 -0'],
  } },
  { family: 'codex', fixture: 'legacy-0125', agent: 'codex', sessions: {
    '01a22803-fdc2-7220-b580-0d46e579cdfe': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
  } },
  { family: 'codex', fixture: 'legacy-mode', agent: 'codex', sessions: {
    '01a22807-f859-7721-b33f-2ef2d1d1269c': ['delete notes.txt +0 -1', 'rename src/tide.js -> src/tides.js +6 -1', 'create test/tide.test.js +4 -0'],
  } },
  { family: 'codex', fixture: 'migrated', agent: 'codex', sessions: {
    '01a22803-baac-7a91-afe9-9b970f2134d5': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
    '01a22803-c0d4-7db3-81a9-77da1545d23d': ['delete NOTES.md +? -? inferred'],
  } },
  { family: 'codex', fixture: 'subagents-v2-codemode', agent: 'codex', sessions: {
    '01a22803-6f17-7711-81ed-a890bd15e4d2': ['create CHANGES.md +2 -0', 'edit menu.json +2 -1'],
  } },
  { family: 'codex', fixture: 'ts-cli', agent: 'codex', sessions: {
    '9d91565c-4c5b-4c7f-a828-d8f1534f4a2c': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
  } },
  { family: 'codex', fixture: 'upgraded', agent: 'codex', sessions: {
    '01a22803-baac-7a91-afe9-9b970f2134d5': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
    '01a22803-c0d4-7db3-81a9-77da1545d23d': ['delete NOTES.md +? -? inferred'],
  } },
  { family: 'codex', fixture: 'v039', agent: 'codex', sessions: {
    '01a22806-40b2-7433-9605-a3e4614e322f': ['create NOTES.md +1 -0 inferred', 'edit berths.py +5 -1 inferred'],
  } },
  { family: 'codex', fixture: 'v050', agent: 'codex', sessions: {
    '01a22804-9853-7353-abd7-7d7198338e47': ['edit berths.py +5 -1 inferred'],
  } },
  { family: 'codex', fixture: 'v098', agent: 'codex', sessions: {
    '01a22804-2d69-7b01-868f-bc25f23127b9': ['edit berths.py +5 -1 inferred'],
  } },
  { family: 'aider', fixture: 'attribution', agent: 'aider', sessions: {
    '*-4081': ['edit a.py +1 -1 inferred'],
    '*-3309': ['edit a.py +1 -1'],
    '*-2478': ['edit a.py +1 -1'],
    '*-1683': ['edit a.py +1 -1'],
    '*-898': ['edit a.py +1 -1'],
    '*-0': ['edit a.py +1 -1'],
  } },
  { family: 'aider', fixture: 'basic', agent: 'aider', sessions: {
    '*-5267': ['edit calc.py +1 -1'],
    '*-3128': ['edit calc.py +1 -1'],
    '*-0': ['edit calc.py +5 -1'],
  } },
  { family: 'aider', fixture: 'interactive', agent: 'aider', sessions: {
    '*-0': ['edit todo.py +4 -0'],
  } },
  { family: 'omo', fixture: 'boulder-active', agent: 'opencode', sessions: {
    'ses_dd82c6f55ffeugXUd0gM9wcQcs': ['edit .omo/plans/rate-limit.md +2 -2', 'create src/bucket.js +11 -0 inferred', 'create src/middleware.js +9 -0 inferred'],
    'ses_dd82c2330ffe51GoCaaD68ln6o': ['create src/middleware.js +9 -0'],
    'ses_dd82c5ae0ffe68bPGUU30iDMXD': ['create src/bucket.js +11 -0'],
    'ses_dd82cb886ffeN5DYv3b3p1Fv8j': ['create .omo/drafts/rate-limit.md +4 -0', 'create .omo/plans/rate-limit.md +29 -0'],
  } },
  { family: 'omo', fixture: 'legacy-sisyphus', agent: 'opencode', sessions: {
    'ses_dd81b520fffeLYSD0becjeu8K9': ['edit .sisyphus/plans/rate-limit.md +2 -2', 'create src/bucket.js +11 -0 inferred', 'create src/middleware.js +9 -0 inferred'],
    'ses_dd81b1cc0ffee6jElQG7LJaCdo': ['create src/middleware.js +9 -0'],
    'ses_dd81b3c58ffeCMr1uwlKb3jiUZ': ['create src/bucket.js +11 -0'],
    'ses_dd81ba1f7ffe2K701TCe0WVLlE': ['create .sisyphus/drafts/rate-limit.md +4 -0', 'create .sisyphus/plans/rate-limit.md +29 -0'],
  } },
  { family: 'omo', fixture: 'migrated-omo', agent: 'opencode', sessions: {
    'ses_dd8198818ffeKL9hayi6VeAjbN': ['edit .omo/plans/rate-limit.md +1 -1'],
    'ses_dd81b520fffeLYSD0becjeu8K9': ['edit .sisyphus/plans/rate-limit.md +2 -2', 'create src/bucket.js +11 -0 inferred', 'create src/middleware.js +9 -0 inferred'],
    'ses_dd81b1cc0ffee6jElQG7LJaCdo': ['create src/middleware.js +9 -0'],
    'ses_dd81b3c58ffeCMr1uwlKb3jiUZ': ['create src/bucket.js +11 -0'],
    'ses_dd81ba1f7ffe2K701TCe0WVLlE': ['create .sisyphus/drafts/rate-limit.md +4 -0', 'create .sisyphus/plans/rate-limit.md +29 -0'],
  } },
  { family: 'omo', fixture: 'stopped', agent: 'opencode', sessions: {
    'ses_dd8200ad8ffe0X9E3JQj9fvAdq': ['edit .omo/plans/done-soon.md +1 -1'],
  } },
  { family: 'omo', fixture: 'team', agent: 'opencode', sessions: {
    'ses_dd7fa0fb5ffe1chaDKPKJwlW7e': ['create .omo/run-continuation/ses_dd7fa08ebffe2hlIaU3EkbOgXE.json +10 -0 inferred', 'create .omo/run-continuation/ses_dd7fa0fb5ffe1chaDKPKJwlW7e.json +11 -0 inferred'],
  } },
  { family: 'omo', fixture: 'works', agent: 'opencode', sessions: {
    'ses_dd8200ad8ffe0X9E3JQj9fvAdq': ['edit .omo/plans/done-soon.md +1 -1'],
  } },
  { family: 'field', fixture: 'aider-fences', agent: 'aider', sessions: {
    '*-515': ['edit total.js +? -?'],
  } },
];

describe.each(cases)('$family/$fixture', ({ family, fixture, agent, sessions }) => {
  let home: DiffHome;
  beforeAll(async () => void (home = await DiffHome.open(family, fixture, agent)));
  afterAll(() => home.dispose());

  test('what each session did to files', async () => {
    const found: Record<string, string[]> = {};
    for (const id of home.sessions()) {
      const files = await home.files(id);
      const native = id.slice(id.indexOf('/') + 1);
      if (files.length > 0) found[agent === 'aider' ? native.replace(/^[0-9a-f]+/, '*') : native] = files.map(told);
    }
    expect(found).toEqual(sessions);
  });
});

/** Fixtures whose sessions leave no file changed that any record tells of; `field` has one case, the others hold no calls that change files. */
const unchanged = [
  'opencode/v118-pruned',
  'claude-code/cwd',
  'claude-code/errors',
  'claude-code/killed',
  'claude-code/misc',
  'claude-code/rewind-root',
  'codex/errors-images',
  'codex/names-archive',
  'codex/revert-chain',
  'codex/subagents-v1',
  'codex/tui-rewind-rename',
  'aider/edges',
  'aider/places',
  'omo/errors',
  'omo/errors-stripped',
  'omo/goals',
];

test.each(unchanged)('%s: nothing is left', async (name) => {
  const [family, fixture] = name.split('/') as [FixtureFamily, string];
  const home = await DiffHome.open(family, fixture, family === 'omo' ? 'opencode' : family);
  for (const id of home.sessions()) expect(await home.files(id)).toEqual([]);
  home.dispose();
});

test('every fixture of an agent is in one of the two lists', () => {
  const listed = new Set([...cases.map(({ family, fixture }) => `${family}/${fixture}`), ...unchanged]);
  const families: FixtureFamily[] = ['opencode', 'claude-code', 'codex', 'aider', 'omo'];
  const others = families.flatMap((family) => fixtureNames(family).map((name) => `${family}/${name}`)).filter((name) => !listed.has(name));
  expect(others).toEqual([]);
});
