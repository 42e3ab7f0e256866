import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportFormats } from '@shared/model';
import { ExportHome } from '../share/export/export-home.test-support';
import { claudeLine, idOf } from './home.test-support';

const isSlow = process.env['RETRACE_SLOW'] === '1';
/** Bytes of the transcript that is exported. */
const size = isSlow ? 1_000_000_000 : 12_000_000;
/** Bytes the process may grow by while it writes: less than the limit of 500 MB, since what stood before counts, too. */
const limit = isSlow ? 400_000_000 : 250_000_000;

/** ms for reading the transcript, and for one export of it. Idle, 1 GB takes minutes; a busy machine takes several times as long. */
const patience = isSlow ? 1_800_000 : 300_000;

let home: ExportHome;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-large-'));
  const file = join(folder, '.claude/projects/-home-maria-app', `${idOf(1)}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  // Words, paths, tokens and code as they come in answers and outputs; every tenth message is large.
  const paragraph = (at: number) => `Step ${at} in /home/maria/app/src/file-${at % 500}.ts: the *quick* brown fox jumps over \`${at}\` and writes to maria${at % 7}@firm.co.\n`;
  let written = 0;
  for (let at = 0; written < size; at++) {
    const text = paragraph(at).repeat(at % 10 === 0 ? 400 : 20);
    const lines = [claudeLine(1, `1-u${at}`, at === 0 ? null : `1-a${at - 1}`, 'user', `Prompt ${at}`), claudeLine(1, `1-a${at}`, `1-u${at}`, 'assistant', text)].map((line) => `${line}\n`).join('');
    appendFileSync(file, lines);
    written += lines.length;
  }
  home = await ExportHome.of({ home: folder, dispose: () => rmSync(folder, { recursive: true, force: true }) });
}, patience);
afterAll(() => home.close());

test.each(exportFormats)('a session of 1 GB (12 MB in the short run) is exported as %s within a bound of memory', async (format) => {
  const path = home.file();
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const answer = await home.make(`claude-code/${idOf(1)}`, { format, target: { kind: 'file', path, overwrite: false } });
  clearInterval(watch);
  expect(answer).toMatchObject({ path });
  expect(statSync(path).size).toBeGreaterThan(size * 0.5);
  expect(peak - before).toBeLessThan(limit);
  rmSync(path);
}, patience);
