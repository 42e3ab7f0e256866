// A cold index of Codex's and of OpenCode's history against the plain read-and-parse floor of the same run, and a minute
// in which nothing happens.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startEngine } from './engine-child.mjs';
import { floor, libraryBytes, now, round } from './measure.mjs';

const here = import.meta.dirname;

/** What is measured: where the agent keeps its history in a home, and what reading and parsing it takes at the least. */
const agents = {
  codex: { place: '.codex', floor: (corpus) => floor(join(here, 'floor-parse.mjs'), [join(corpus, 'sessions')]) },
  opencode: { place: '.local/share/opencode', floor: (corpus) => floor(join(here, 'floor-rows.mjs'), [join(corpus, 'opencode.db')]) },
};

/** Makes the corpus of an agent unless it lies in the cache. */
function corpusOf(root, agent, megabytes, seed) {
  const corpus = join(root, '.cache/bench', `${agent}-${megabytes}-${seed}`);
  if (!existsSync(join(corpus, 'manifest.json'))) {
    rmSync(corpus, { recursive: true, force: true });
    execFileSync(process.execPath, [join(here, `${agent}-corpus.mjs`), corpus, '--mb', String(megabytes), '--seed', seed], { stdio: 'inherit' });
  }
  return { corpus, truth: JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8')) };
}

/** One agent's figures. With `idleSeconds` the engine goes on for that long with nothing to do. */
export async function measureStore(root, agent, { megabytes, seed, idleSeconds }) {
  const { corpus, truth } = corpusOf(root, agent, megabytes, seed);
  const work = mkdtempSync(join(tmpdir(), 'retrace-bench-'));
  const home = join(work, 'home');
  const place = join(home, agents[agent].place);
  try {
    mkdirSync(place, { recursive: true });
    cpSync(corpus, place, { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith('manifest.json') });
    const parse = agents[agent].floor(corpus);
    const options = { home, library: join(work, 'library.db') };
    let engine = startEngine(root, options);
    const list = await engine.call('session.list', { filter: {}, sort: 'updated', from: 0, count: 50 });
    const listed = { wall: round(now() - engine.started), cpu: engine.figures().cpu, sessions: list.total };
    const outcome = await engine.call('index.run');
    const ready = { wall: round(now() - engine.started), ...engine.figures() };
    // Codex tells an output twice, and the corpus lets the two grow apart: words planted there would be found or not by chance.
    const needles = truth.needle === undefined ? null : { planted: truth.planted, found: (await engine.call('search.query', { query: truth.needle, from: 0, count: 50 })).total };
    const idle = idleSeconds > 0 ? await idleMinute(engine, idleSeconds) : undefined;
    await engine.stop();
    const library = libraryBytes(options.library);
    engine = startEngine(root, options);
    const again = await engine.call('index.run');
    await engine.stop();
    return {
      corpus: truth, floor: { cpu: parse.cpu, wall: parse.wall }, coldList: listed,
      searchReady: { ...ready, toP: round(ready.cpu / parse.cpu), wallToP: round(ready.wall / parse.wall), target: 'at most 3 P' },
      outcome, needles, library: { bytes: library, ofCorpus: round(library / (truth.fileBytes ?? truth.bytes)) },
      again: { bytesRead: again.bytesRead, recordsProjected: again.recordsProjected }, idle,
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** CPU and reading while nothing changes. The library's own pages count as reading too, so a few kilobytes are no file of a store. */
async function idleMinute(engine, seconds) {
  // What came with the first pass (checkpoint, garbage) is over by then.
  await wait(3_000);
  const before = { ...engine.figures(), ...engine.reading() };
  await wait(seconds * 1000);
  const after = { ...engine.figures(), ...engine.reading() };
  return { seconds, cpu: round(after.cpu - before.cpu), bytesRead: after.bytes - before.bytes, reads: after.calls - before.calls, target: 'no measurable CPU, no unchanged file read' };
}
