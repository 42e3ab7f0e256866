// Records that the real programs wrote, taken from the fixtures, as the patterns of a large corpus.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const fixtures = join(import.meta.dirname, '../../../e2e/fixtures');

/** Unpacks a fixture's home for as long as `use` runs. */
export function withFixture(family, name, use) {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-bench-'));
  try {
    execFileSync('tar', ['xzf', join(fixtures, family, name, 'home.tar.gz'), '-C', folder]);
    return use(join(folder, 'home'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A copy of a JSON value in which `change(key, value)` made every string and number anew. */
export function changed(value, change, key = '') {
  if (Array.isArray(value)) return value.map((each) => changed(each, change, key));
  if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, change, name)]));
  return typeof value === 'string' || typeof value === 'number' ? change(key, value) : value;
}

/** The same text becomes the same new text as long as the map lasts: records that repeat a text still agree. */
export function once(memo, text, make) {
  let made = memo.get(text);
  if (made === undefined) memo.set(text, (made = make(text)));
  return made;
}
