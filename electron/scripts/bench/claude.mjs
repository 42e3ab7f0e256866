// Claude Code's history: list, search, memory, truth of what was found, the largest session, second start and append,
// against two floors of the same run.
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from './engine-child.mjs';
import { floor, jsonlFiles, libraryBytes, median, now, round } from './measure.mjs';

const here = import.meta.dirname;

const timed = async (times, action) => {
  const each = [];
  for (let i = 0; i < times; i++) {
    const start = now();
    await action();
    each.push((now() - start) * 1000);
  }
  return { first: round(each[0], 1), median: round(median(each), 1) };
};

/** Makes the corpus unless it lies in the cache; returns its folder. */
export function claudeCorpus(root, { megabytes, sessions, biggest, seed }) {
  const corpus = join(root, '.cache/bench', `${megabytes}-${sessions}-${biggest}-${seed}`);
  if (!existsSync(join(corpus, 'manifest.json'))) {
    rmSync(corpus, { recursive: true, force: true });
    mkdirSync(corpus, { recursive: true });
    execFileSync(process.execPath, [join(here, 'claude-corpus.mjs'), corpus, '--mb', String(megabytes), '--sessions', sessions, '--biggest', biggest, '--seed', seed], { stdio: 'ignore' });
  }
  return corpus;
}

/** All figures of a corpus that `claudeCorpus` made. */
export async function measureClaude(root, corpus, say) {
  const truth = JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'retrace-bench-'));
  const home = join(work, 'home');
  mkdirSync(home);
  symlinkSync(corpus, join(home, '.claude'));
  const options = { home, library: join(work, 'library.db') };
  const report = { corpus: { bytes: truth.bytes, files: jsonlFiles(join(corpus, 'projects')).length, lines: truth.lines } };

  try {
    say('floors…');
    const parse = floor(join(here, 'floor-parse.mjs'), [join(corpus, 'projects')]);
    const index = floor(join(here, 'floor-fts.mjs'), [join(corpus, 'projects'), join(work, 'floor.db'), 'timeout']);
    rmSync(join(work, 'floor.db'), { force: true });
    report.floors = { P: { cpu: parse.cpu, wall: parse.wall }, I: { cpu: index.cpu, wall: index.wall } };

    say('cold start…');
    let engine = startEngine(root, options);
    const first = await engine.call('session.list', { filter: {}, sort: 'updated', from: 0, count: 50 });
    const list = { wall: round(now() - engine.started), cpu: engine.figures().cpu, sessions: first.total };
    const outcome = await engine.call('index.run');
    const indexed = { wall: round(now() - engine.started), ...engine.figures() };
    report.coldList = { ...list, toP: round(list.cpu / parse.cpu), wallToP: round(list.wall / parse.wall), target: 'at most 0.25 P, 1 s' };
    report.searchReady = { ...indexed, toP: round(indexed.cpu / parse.cpu), toI: round(indexed.cpu / index.cpu), target: 'at most 1.5 I, 6 P, 400 MB' };
    report.outcome = outcome;

    say('truth…');
    const all = [];
    for (let from = 0; ; from += 1000) {
      const page = await engine.call('session.list', { filter: { archived: 'include' }, sort: 'created', from, count: 1000 });
      all.push(...page.sessions);
      if (all.length >= page.total || page.sessions.length === 0) break;
    }
    const sum = (key) => all.reduce((total, session) => total + (session.tokens?.[key] ?? 0), 0);
    const tokens = { input: sum('input'), output: sum('output'), cacheCreate: sum('cacheWrite'), cacheRead: sum('cacheRead') };
    const needles = {};
    for (const [kind, { word, count }] of Object.entries(truth.needles)) needles[kind] = { planted: count, found: (await engine.call('search.query', { query: word, from: 0, count: 50 })).total };
    report.truth = {
      tokensEqual: JSON.stringify(tokens) === JSON.stringify({ input: truth.tokens.input, output: truth.tokens.output, cacheCreate: truth.tokens.cacheCreate, cacheRead: truth.tokens.cacheRead }),
      tokens, planted: truth.tokens, needles, sessions: { found: all.filter((session) => session.kind === 'session').length, planted: truth.sessions },
      subagents: { found: all.filter((session) => session.kind === 'subagent').length, planted: truth.subagentFiles },
      compactions: { found: all.reduce((total, session) => total + session.compactions, 0), planted: truth.compactions },
      damage: { found: all.reduce((total, session) => total + session.damage, 0), planted: truth.damagedLines + truth.tornLines },
      forks: { found: all.filter((session) => session.parent?.kind === 'fork').length, planted: truth.forks },
    };

    say('search…');
    report.search = {};
    const rare = truth.needles.assistant.word;
    for (const [name, query] of [['rare', rare], ['phrase', '"token cache"'], ['common', 'timeout'], ['prefix', 'time*'], ['filtered', 'timeout agent:claude role:user']]) {
      const hits = (await engine.call('search.query', { query, from: 0, count: 20 })).total;
      report.search[name] = { ...(await timed(9, () => engine.call('search.query', { query, from: 0, count: 20 }))), hits };
    }

    say('the largest session…');
    const giant = all.find((session) => session.nativeId === truth.biggest.sessionId);
    const before = engine.bytes();
    const start = now();
    const parts = engine.call('session.parts', { session: giant.id, from: 0, count: 40 }).then(() => round((now() - start) * 1000, 1));
    const detail = engine.call('session.get', { session: giant.id }).then(() => round((now() - start) * 1000, 1));
    const outline = engine.call('session.outline', { session: giant.id }).then((answer) => ({ at: round((now() - start) * 1000, 1), total: answer.total }));
    report.giant = { bytes: truth.biggest.bytes, messages: truth.biggest.messages, firstParts: await parts, detail: await detail, outline: await outline, linkBytes: engine.bytes() - before, target: '200 ms, 1 MB' };
    const asked = now();
    const context = await engine.call('context.get', { session: giant.id, from: 0, count: 100 });
    report.context = { ms: round((now() - asked) * 1000, 1), parts: report.giant.outline.total, sent: context.count, target: '100 ms at 50,000 parts' };
    report.memoryAfter = engine.figures();
    await engine.stop();
    report.library = { bytes: libraryBytes(options.library), ofCorpus: round(libraryBytes(options.library) / truth.bytes), target: 'at most 0.40' };

    say('warm start…');
    engine = startEngine(root, options);
    await engine.call('session.list', { filter: {}, sort: 'updated', from: 0, count: 50 });
    const warm = round(now() - engine.started);
    const second = await engine.call('index.run');
    report.warm = { list: warm, target: 0.3, bytesRead: second.bytesRead, recordsProjected: second.recordsProjected };
    await engine.stop();

    say('an append…');
    rmSync(join(home, '.claude'));
    mkdirSync(join(home, '.claude'));
    const newest = truth.biggest.path;
    cpSync(join(corpus, 'projects'), join(home, '.claude/projects'), { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith('.jsonl') || path.endsWith(newest.split('/').at(-1)) });
    const grown = startEngine(root, { home, library: join(work, 'append.db') });
    await grown.call('index.run');
    const line = `${JSON.stringify({ parentUuid: null, type: 'user', uuid: '00000000-0000-4000-8000-000000000001', sessionId: truth.biggest.sessionId, timestamp: new Date().toISOString(), message: { role: 'user', content: 'one more prompt' } })}\n`;
    appendFileSync(join(home, '.claude', newest), line);
    const cpu = grown.figures().cpu;
    const appended = await grown.call('index.run');
    report.append = { bytesAppended: line.length, bytesRead: appended.bytesRead, recordsProjected: appended.recordsProjected, cpu: round(grown.figures().cpu - cpu) };
    await grown.stop();
    return report;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
