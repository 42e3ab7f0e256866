import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ExportFormat, exportFormats } from '@shared/model';
import type { FixtureFamily } from '../../../../e2e/fixtures';
import { version } from '../../version';
import { ExportHome } from './export-home.test-support';
import { style } from './html-style';

/** What is exported of real sessions of every agent. `UPDATE_GOLDEN=1` writes the files anew: read every change before it is kept. */
const folder = join(import.meta.dirname, 'expected');
const update = process.env['UPDATE_GOLDEN'] === '1';

const cases: { family: FixtureFamily; fixture: string; session: string; name: string }[] = [
  { family: 'claude-code', fixture: 'rewind', session: '668bfb69', name: 'claude-code' },
  { family: 'codex', fixture: 'exec-patch-plan', session: '', name: 'codex' },
  { family: 'opencode', fixture: 'v118-main', session: 'ses_e0762f168', name: 'opencode' },
  { family: 'aider', fixture: 'basic', session: '', name: 'aider' },
];

const endings: Record<ExportFormat, string> = { markdown: 'md', html: 'html', json: 'json', opencode: 'opencode.json', bundle: 'bundle.txt' };

describe.each(cases)('$name', ({ family, fixture, session: begin, name }) => {
  let home: ExportHome;
  let session: string;
  beforeAll(async () => {
    home = await ExportHome.open(family, fixture);
    session = await home.session(begin);
  });
  afterAll(() => home.close());

  test.each(exportFormats)('%s', async (format) => {
    const text = settled(await home.text(session, { format }), format);
    const path = join(folder, `${name}.${endings[format]}`);
    if (update) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, text);
    }
    expect(text).toBe(existsSync(path) ? readFileSync(path, 'utf8') : '');
  });
});

test('every golden file is made by a case', () => {
  expect(readdirSync(folder).sort()).toEqual(cases.flatMap(({ name }) => exportFormats.map((format) => `${name}.${endings[format]}`)).sort());
});

/** Without what depends on the day or stands in a file of its own: the moment, the version, the style, the records of a bundle. */
function settled(text: string, format: ExportFormat): string {
  const steady = text.replace(/"made":"[^"]*"/, '"made":"<moment>"').replaceAll(`Retrace ${version}`, 'Retrace <version>').replace(style, '<style>')
    // A store of Aider, its sessions and what is made of their ids are named after the folder of the test.
    .replace(/aider~[0-9a-f]{8}/g, 'aider~<folder>').replace(/\b[0-9a-f]{12}-(?=\d{2,5}\b)/g, '<history>-');
  if (format === 'opencode') return `${JSON.stringify(JSON.parse(steady), null, 1).replace(/\b(ses|msg|prt)_([0-9a-f]{12})\w{14}/g, '$1_$2…')}\n`;
  if (format === 'json') return `${JSON.stringify(JSON.parse(steady), null, 1)}\n`;
  if (format !== 'bundle') return steady;
  // The streams are the agent's own records; that they are so is seen elsewhere.
  return steady.replace(/^(\{"type":"stream",.*"reader":)\d+/gm, '$1<version>').replace(/^(\{"type":"piece",[^\n]{120})[^\n]*/gm, '$1…').replace(/^(\{"type":"end".*"hash":")[0-9a-f]+/m, '$1<hash>');
}
