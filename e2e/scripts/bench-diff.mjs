// Large changes in the view of files, measured in Chromium: `npm run bench -- --page` calls it.
//   node e2e/scripts/bench-diff.mjs
// Prints JSON: first paint of a change of 100,000 lines, of one line of 5 MB, of 2,000 files in one turn, and frames while scrolling.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { findChromium } from './chromium.mjs';

const root = join(import.meta.dirname, '../..');
const folder = '/home/dev/acme';
const session = 'claude-code/44444444-1111-4111-8111-111111111111';

const context = (from, count) => Array.from({ length: count }, (_, at) => ` export const value${from + at} = ${from + at}; // as it was`);
const hunk = (number) => {
  const start = number * 100 + 1;
  const lines = [...context(start, 3), ...Array.from({ length: 28 }, (_, at) => `-  const before = compute(${number}, '${at}');`), ...Array.from({ length: 28 }, (_, at) => `+  const after = await compute(${number}, '${at}', true);`), ...context(start + 40, 3)];
  return { oldStart: start, oldLines: 34, newStart: start, newLines: 34, lines };
};
const longLine = (middle) => `{"rows":["${'a,'.repeat(1_250_000)}${middle}${'b,'.repeat(1_250_000)}"]}`;
const edit = (name, result) => ({ tool: 'Edit', input: { file_path: `${folder}/${name}`, old_string: 'a', new_string: 'b' }, output: 'ok', result: { filePath: `${folder}/${name}`, ...result } });
const said = [
  { you: 'Change a large file' },
  edit('large.ts', { structuredPatch: Array.from({ length: 1_650 }, (_, number) => hunk(number)) }),
  { you: 'Change a file of one line' },
  edit('one.json', { originalFile: longLine('before'), structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${longLine('before')}`, `+${longLine('after')}`] }] }),
  { you: 'Change many files' },
  ...Array.from({ length: 2_000 }, (_, at) => ({ tool: 'Write', input: { file_path: `${folder}/src/part${at % 40}/file${at}.ts`, content: `export const a = ${at};\n` }, output: 'ok', result: { type: 'create', filePath: `${folder}/src/part${at % 40}/file${at}.ts`, content: `export const a = ${at};\n`, structuredPatch: [] } })),
  ];

/** Records of a Claude Code transcript: a prompt, or a call with its result. */
function* records() {
  const sessionId = session.slice(session.indexOf('/') + 1);
  const common = { isSidechain: false, userType: 'external', cwd: folder, sessionId, version: '2.1.300', gitBranch: 'main' };
  let parentUuid = null;
  for (const [number, each] of said.entries()) {
    const timestamp = new Date(Date.parse('2026-03-01T12:00:00Z') + number * 1_000).toISOString();
    const record = (type, message, more) => {
      const uuid = `44444444-${type === 'user' ? 1 : 0}000-4000-8000-${String(number).padStart(12, '0')}`;
      const text = JSON.stringify({ parentUuid, ...common, timestamp, type, message, uuid, ...more });
      parentUuid = uuid;
      return text;
    };
    if ('you' in each) {
      yield record('user', { role: 'user', content: each.you });
      continue;
    }
    const id = `toolu_${number}`;
    yield record('assistant', { id: `msg_${number}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [{ type: 'tool_use', id, name: each.tool, input: each.input }], stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 1 } });
    yield record('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: each.output }] }, { toolUseResult: each.result });
  }
}

const work = mkdtempSync(join(tmpdir(), 'retrace-bench-diff-'));
const transcripts = join(work, 'home/.claude/projects/-home-dev-acme');
mkdirSync(transcripts, { recursive: true });
writeFileSync(join(transcripts, `${session.slice(session.indexOf('/') + 1)}.jsonl`), [...records(), ''].join('\n'));
const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), '--home', join(work, 'home'), '--library', join(work, 'library.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((done) => server.stdout.on('data', (chunk) => {
  const found = /http:\S+/.exec(String(chunk));
  if (found) done(found[0]);
}));
const browser = await chromium.launch({ executablePath: findChromium() });
const round = (value) => Math.round(value * 10) / 10;

try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(url);
  await page.getByRole('tree').waitFor();
  await page.waitForFunction(() => document.querySelector('[role="progressbar"]') === null, undefined, { timeout: 600_000, polling: 500 });
  await page.waitForTimeout(2_000);

  /** From an act to the frame that shows what it leads to, ms. */
  const until = (act, selector) => page.evaluate(([action, wanted]) => new Promise((done) => {
    const start = performance.now();
    if (action.startsWith('#')) location.hash = action;
    else if (action !== '') [...document.querySelectorAll('button')].find((button) => button.textContent === action)?.click();
    const look = () => (document.querySelector(wanted) ? requestAnimationFrame(() => done(performance.now() - start)) : requestAnimationFrame(look));
    look();
  }), [act, selector]);
  const address = (scope, name) => `#/session/${encodeURIComponent(session)}/files?scope=${scope}${name ? `&file=${encodeURIComponent(`${folder}/${name}`)}` : ''}`;
  /** Frames while the wheel turns and the keys jump. */
  const scroll = async (selector) => {
    const box = await page.locator(selector).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const frames = page.evaluate(async () => {
      const times = [];
      let last = performance.now();
      for (const end = last + 5_000; last < end; ) {
        const now = await new Promise((drawn) => requestAnimationFrame(drawn));
        times.push(now - last);
        last = now;
      }
      return times.slice(2).sort((a, b) => a - b);
    });
    for (let step = 0; step < 120; step++) {
      await page.mouse.wheel(0, step % 10 === 9 ? 60_000 : 700);
      if (step % 40 === 39) await page.locator(selector).press(step % 80 === 39 ? 'End' : 'Home');
    }
    const times = await frames;
    return { count: times.length, p50: round(times[times.length >> 1]), p95: round(times[Math.floor(times.length * 0.95)]), longest: round(times.at(-1)) };
  };

  const report = {};
  // What this machine does to frames in which nothing happens.
  report.idleFrames = await scroll('.library-tree, [role="tree"]');
  // The first question also puts the changes together; what it costs is told apart.
  report.manyFiles = { cold: round(await until(address('turn:3'), '.files-view .files-row + .files-row')), firstDiff: round(await until('', '.dl-row[data-row="line"]')) };
  await page.waitForTimeout(1_000);
  report.manyFiles.frames = await scroll('.files-view .files-list');
  report.manyFiles.next = round(await until(address('turn:3', 'src/part7/file7.ts'), '[aria-label$="file7.ts"] .dl-row[data-row="line"]'));

  report.largeDiff = { cold: round(await until(address('turn:1', 'large.ts'), '.diff-note .button')) };
  report.largeDiff.firstRows = round(await until('Show it anyway', '.dl-row[data-row="line"]'));
  await page.waitForTimeout(3_000);
  report.largeDiff.foot = await page.locator('.dl-foot').innerText();
  report.largeDiff.frames = await scroll('.dl-scroller');
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.waitForTimeout(1_000);
  report.largeDiff.framesSplit = await scroll('.dl-scroller');
  await page.getByRole('button', { name: 'Side by side' }).click();

  report.oneLine = { cold: round(await until(address('turn:2', 'one.json'), '.diff-note .button')) };
  report.oneLine.firstRows = round(await until('Show it anyway', '.dl-row[data-row="line"]'));
  await page.evaluate((to) => void (location.hash = to), address('turn:3'));
  await page.waitForTimeout(500);
  report.oneLine.again = round(await until(address('turn:2', 'one.json'), '.diff-note .button'));
  report.manyFiles.again = await (async () => {
    await page.evaluate((to) => void (location.hash = to), address('turn:2', 'one.json'));
    await page.waitForTimeout(500);
    return round(await until(address('turn:3'), '[aria-label$="file0.ts"] .dl-row[data-row="line"]'));
  })();
  report.largeDiff.again = round(await until(address('turn:1', 'large.ts'), '.diff-note .button'));
  report.target = 'first paint 300 ms, no frame over 100 ms';
  console.log(JSON.stringify(report, null, 2));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await browser.close();
  server.kill('SIGTERM');
  if (server.exitCode === null) await new Promise((done) => server.once('exit', done));
  rmSync(work, { recursive: true, force: true });
}
