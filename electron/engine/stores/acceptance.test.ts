import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FixtureFamily, fixtureNames, openFixture } from '../../../e2e/fixtures';
import { asSessionId } from '@shared/model';
import { expect, test } from 'vitest';
import { acceptStore, type AcceptanceCase, type HomeChange, Shelf } from './acceptance';
import { claudeCode } from './claude-code';
import { opencode } from './opencode';

const cases = (family: FixtureFamily, wanted: (name: string) => boolean = () => true): AcceptanceCase[] =>
  fixtureNames(family)
    .filter(wanted)
    .map((name) => ({ name: `${family}/${name}`, open: () => openFixture(family, name) }));

/** The largest transcript of a Claude Code home. */
function transcript(home: string): string {
  const root = join(home, '.claude/projects');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /^[^/\\]+[/\\][0-9a-f-]{36}\.jsonl$/.test(name)).map((name) => join(root, name));
  const [largest] = files.sort((a, b) => readFileSync(b).length - readFileSync(a).length);
  if (!largest) throw new Error('this home has no transcript');
  return largest;
}

const lines = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean);

const transcriptChanges = (on: string): HomeChange[] => [
  { name: 'a transcript was cut to half', on, apply: (home) => truncateSync(transcript(home), Math.floor(readFileSync(transcript(home)).length / 2)) },
  {
    name: 'a transcript was replaced by its last lines',
    on,
    apply: (home) => writeFileSync(transcript(home), `${lines(transcript(home)).slice(4).join('\n')}\n`),
  },
  { name: 'a torn line was added', on, apply: (home) => appendFileSync(transcript(home), '{"type":"user","uu') },
  { name: 'a record of an unknown type was added', on, apply: (home) => appendFileSync(transcript(home), '{"type":"from-the-future","uuid":"x-1","parentUuid":null}\n') },
  { name: 'a transcript went away', on, apply: (home) => rmSync(transcript(home)) },
];

acceptStore(claudeCode, [...cases('claude-code'), ...cases('field', (name) => name.startsWith('cc-'))], [
  ...transcriptChanges('claude-code/rewind'),
  ...transcriptChanges('claude-code/compact'),
  ...transcriptChanges('field/cc-branches'),
]);
acceptStore(opencode, [...cases('opencode'), ...cases('field', (name) => name.startsWith('oc-'))], [
  {
    name: 'a JSON session file went away', on: 'opencode/v11-json', apply(home) {
      const root = join(home, '.local/share/opencode/storage/session');
      const [file] = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json')).sort();
      rmSync(join(root, file ?? ''));
    },
  },
]);

test('an appended record costs its own bytes and its own projection', async () => {
  const fixture = openFixture('claude-code', 'compact');
  const shelf = new Shelf(fixture.home, claudeCode);
  await shelf.pass();
  const line = `${JSON.stringify({
    type: 'user', uuid: '00000000-0000-4000-8000-000000000001', parentUuid: 'f36bda05-367d-4a33-a75e-4301d6f6a8a8', isSidechain: false,
    sessionId: '2b529454-02c3-408a-8984-b703e760cbf9', timestamp: '2026-11-29T18:00:00.000Z', cwd: '/home/dev/projects/demo', message: { role: 'user', content: 'One more prompt' },
  })}\n`;
  appendFileSync(transcript(fixture.home), line);
  const { bytesRead, recordsProjected, partsWritten, sessionsSettled } = await shelf.pass();
  expect({ bytesRead, recordsProjected, partsWritten, sessionsSettled }).toEqual({ bytesRead: line.length, recordsProjected: 1, partsWritten: 1, sessionsSettled: 1 });
  expect(shelf.session(asSessionId('claude-code/2b529454-02c3-408a-8984-b703e760cbf9')).parts.at(-1)?.text?.text).toBe('One more prompt');
  shelf.dispose();
  fixture.dispose();
});
