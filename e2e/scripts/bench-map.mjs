// The lineage map of one family of 500 sessions, measured in Chromium: `npm run bench -- --page` calls it.
//   node e2e/scripts/bench-map.mjs [SESSIONS]
// Prints JSON: the engine's answer, the layout in its worker, the first card after the key, frames while panning and zooming.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { largeFamily, relativeId, writeFamily } from '../family-home.ts';
import { findChromium } from './chromium.mjs';

const sessions = Number(process.argv[2] ?? 500);
const root = join(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'retrace-bench-map-'));
writeFamily(join(work, 'home'), largeFamily(sessions));
const server = spawn(process.execPath, [join(root, 'out/main/serve.js'), '--home', join(work, 'home'), '--library', join(work, 'library.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((done) => server.stdout.on('data', (chunk) => {
  const found = /http:\S+/.exec(String(chunk));
  if (found) done(found[0]);
}));
const browser = await chromium.launch({ executablePath: findChromium() });
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  await page.goto(url);
  await page.getByRole('tree').waitFor();
  await page.waitForFunction(() => document.querySelector('[role="progressbar"]') === null, undefined, { timeout: 600_000, polling: 500 });
  await page.waitForTimeout(1_000);
  const open = () => page.evaluate((session) => new Promise((done) => {
    const start = performance.now();
    location.hash = `#/session/${session}/map`;
    const look = () => (document.querySelector('.map-card') ? done(performance.now() - start) : requestAnimationFrame(look));
    look();
  }), encodeURIComponent(`claude-code/${relativeId(0)}`));
  const layouts = () => page.evaluate(() => performance.getEntriesByName('lineage layout').map(({ duration }) => duration));
  const first = await open();
  await page.waitForTimeout(500);
  await page.getByRole('button', { name: 'Show all subagents' }).click();
  await page.waitForFunction((count) => document.querySelectorAll('#lineage-map [role="treeitem"]').length >= count, sessions);
  await page.waitForTimeout(1_500);
  const laidOut = await layouts();
  const box = await page.locator('.map-canvas').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const frames = page.evaluate(async () => {
    const times = [];
    let last = performance.now();
    const end = last + 6_000;
    while (last < end) {
      const now = await new Promise((drawn) => requestAnimationFrame(drawn));
      times.push(now - last);
      last = now;
    }
    return times.slice(2).sort((a, b) => a - b);
  });
  for (let step = 0; step < 60; step += 1) {
    await page.mouse.wheel(0, step % 2 ? 120 : -120);
    if (step % 3 === 0) {
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 + ((step * 37) % 200) - 100, box.y + box.height / 2 + ((step * 53) % 200) - 100, { steps: 4 });
      await page.mouse.up();
    }
  }
  const times = await frames;
  const cards = await page.locator('.map-card').count();
  const round = (value) => Math.round(value * 10) / 10;
  console.log(JSON.stringify({
    sessions, firstCardMs: round(first), layoutMs: { folded: round(laidOut[0]), allShown: round(laidOut.at(-1)) }, cardsDrawn: cards,
    frames: { count: times.length, p50: round(times[times.length >> 1]), p95: round(times[Math.floor(times.length * 0.95)]), longest: round(times.at(-1)) },
    target: 'layout 300 ms, frames p95 33 ms',
  }, null, 2));
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await new Promise((done) => server.once('exit', done));
  rmSync(work, { recursive: true, force: true });
}
