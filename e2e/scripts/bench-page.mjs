// The page on the largest session of a corpus, measured in Chromium: `npm run bench -- --page` calls it.
//   node e2e/scripts/bench-page.mjs CORPUS
// Prints JSON: first content after the click, bytes over the link, page memory, frames while scrolling.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { findChromium } from './chromium.mjs';

const [corpus] = process.argv.slice(2);
const root = join(import.meta.dirname, '../..');
const truth = JSON.parse(readFileSync(join(corpus, 'manifest.json'), 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'retrace-bench-page-'));
mkdirSync(join(work, 'home'));
symlinkSync(corpus, join(work, 'home/.claude'));
const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), '--home', join(work, 'home'), '--library', join(work, 'library.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((done) => server.stdout.on('data', (chunk) => {
  const found = /http:\S+/.exec(String(chunk));
  if (found) done(found[0]);
}));
const browser = await chromium.launch({ executablePath: findChromium(), args: ['--enable-precise-memory-info', '--js-flags=--expose-gc'] });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const link = await page.context().newCDPSession(page);
  let bytes = 0;
  await link.send('Network.enable');
  link.on('Network.webSocketFrameReceived', ({ response }) => (bytes += response.payloadData.length));
  await page.goto(url);
  await page.getByRole('tree').waitFor();
  // The index is done when its bar is gone.
  await page.waitForFunction(() => document.querySelector('[role="progressbar"]') === null, undefined, { timeout: 600_000, polling: 500 });
  await page.waitForTimeout(1_000);
  const heap = () => page.evaluate(() => {
    globalThis.gc?.();
    return performance.memory.usedJSHeapSize / 1e6;
  });
  const before = { heap: await heap(), bytes };
  const id = encodeURIComponent(`claude-code/${truth.biggest.sessionId}`);
  const firstContent = await page.evaluate((session) => new Promise((done) => {
    const start = performance.now();
    location.hash = `#/session/${session}`;
    const look = () => (document.querySelector('[role="feed"] .part') ? done(performance.now() - start) : requestAnimationFrame(look));
    look();
  }), id);
  await page.waitForTimeout(1_500);
  const opened = { heap: await heap(), bytes };
  const frames = await page.evaluate(async () => {
    const feed = document.querySelector('[role="feed"]');
    const times = [];
    let last = performance.now();
    const end = last + 8_000;
    while (last < end) {
      feed.scrollBy(0, 120);
      const now = await new Promise((drawn) => requestAnimationFrame(drawn));
      times.push(now - last);
      last = now;
    }
    return times.slice(2).sort((a, b) => a - b);
  });
  const round = (value) => Math.round(value * 10) / 10;
  console.log(JSON.stringify({
    messages: truth.biggest.messages, megabytes: round(truth.biggest.bytes / 1e6),
    firstContentMs: round(firstContent), linkBytes: opened.bytes - before.bytes,
    heapMB: { before: round(before.heap), opened: round(opened.heap), scrolled: round(await heap()) },
    frames: { count: frames.length, p50: round(frames[frames.length >> 1]), p95: round(frames[Math.floor(frames.length * 0.95)]), longest: round(frames.at(-1)) },
    target: '200 ms, 1 MB, 50 MB, p95 33 ms, none over 100 ms',
  }, null, 2));
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await new Promise((done) => server.once('exit', done));
  rmSync(work, { recursive: true, force: true });
}
