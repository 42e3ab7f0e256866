// What the measuring scripts share: medians, the CPU and memory of a process, running a floor.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const now = () => Number(process.hrtime.bigint()) / 1e9;
export const round = (value, digits = 3) => Math.round(value * 10 ** digits) / 10 ** digits;
export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** Transcripts below a folder, sorted by path. */
export function jsonlFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** CPU seconds so far and memory (MB) of a process, threads and all; Linux only. */
export function processFigures(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (key) => Number(new RegExp(`${key}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { cpu: (Number(stat[11]) + Number(stat[12])) / 100, memory: Math.round(kilobytes('VmRSS') / 1024), peak: Math.round(kilobytes('VmHWM') / 1024) };
}

/** Bytes and calls of `read` so far, page cache or not; Linux only. */
export function processReading(pid) {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8');
  const count = (key) => Number(new RegExp(`${key}: (\\d+)`).exec(io)?.[1] ?? 0);
  return { bytes: count('rchar'), calls: count('syscr') };
}

/** A library with what SQLite has not yet put into it. */
export const libraryBytes = (file) => ['', '-wal'].reduce((sum, end) => sum + (existsSync(file + end) ? statSync(file + end).size : 0), 0);

/** Runs a floor as a process of its own: CPU seconds, wall seconds, what it printed. */
export function floor(script, args) {
  const start = now();
  const { stdout, status } = spawnSync(process.execPath, ['--no-warnings', script, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${script} ended with ${status}`);
  const printed = JSON.parse(stdout);
  return { cpu: round(printed.cpu), wall: round(now() - start), printed };
}
