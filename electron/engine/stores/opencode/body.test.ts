import { expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { type TestLibrary, type TestSession, withFixture } from './library.test-support';

const main = (check: (library: TestLibrary) => void) => withFixture(openFixture('opencode', 'v118-main'), check);
const called = (session: TestSession, tool: string, nth = 0) => session.parts.filter(({ part }) => part.tool?.name === tool)[nth]?.key ?? '';

test('an edit: target, readable input, diff with the headers of a unified one', () =>
  main((library) => {
    const session = library.session('ses_e1c685695ffext9gqa0c8sgW3P');
    const { tool } = session.body(called(session, 'edit', 1));
    expect(tool).toMatchObject({ target: '/home/dev/projects/notes-api/src/server.js', output: 'Edit applied successfully.', exitCode: null, durationMs: 51, note: null });
    expect(tool?.edits).toHaveLength(1);
    expect(tool?.edits[0]).toMatchObject({ path: '/home/dev/projects/notes-api/src/server.js', kind: 'edit', added: 5, removed: 0 });
    expect(tool?.edits[0]?.patch?.split('\n').slice(0, 3)).toEqual(['--- /home/dev/projects/notes-api/src/server.js', '+++ /home/dev/projects/notes-api/src/server.js', '@@ -5,8 +5,13 @@']);
    expect(session.part(called(session, 'edit', 1)).part).toMatchObject({ title: 'src/server.js', added: 5, removed: 0 });
  }));

test('a new file is a patch of additions; todos, answers and exit codes are told', () =>
  main((library) => {
    const session = library.session('ses_e1c685695ffext9gqa0c8sgW3P');
    const write = session.body(called(session, 'write')).tool?.edits[0];
    expect(write).toMatchObject({ path: '/home/dev/projects/notes-api/test/search.test.js', kind: 'create', added: 9, removed: 0 });
    expect(write?.patch?.startsWith("--- /dev/null\n+++ /home/dev/projects/notes-api/test/search.test.js\n@@ -0,0 +1,9 @@\n+import test from 'node:test';\n")).toBe(true);
    expect(session.body(called(session, 'todowrite')).tool?.todos[0]).toEqual({ content: 'Add search(text) to the store', status: 'in_progress', priority: 'high' });
    const failed = session.parts.find(({ part }) => part.title === 'exit 3 · exit 3')?.key ?? '';
    expect(session.body(failed).tool).toMatchObject({ input: 'exit 3', output: '(no output)', exitCode: 3 });
    const question = library.session('ses_e0762f168ffeEQQM2vAfaahfUV');
    expect(question.body(called(question, 'question')).tool).toMatchObject({ target: 'Which port should the server use?', note: 'answered: 8080' });
    expect(question.part(called(question, 'question', 1)).part.tool?.status).toBe('denied');
  }));

test('a subagent’s call names its session; a shell line of the person shows what came of it', () =>
  main((library) => {
    const research = library.session('ses_e1c4ca54fffeipXfLMeNjmVdC1');
    expect(research.body(called(research, 'task')).tool).toMatchObject({ target: 'Research SQLite storage', child: 'ses_e170d0316ffeA0JSgigM9YjB0Z' });
    const command = research.parts.find(({ part }) => part.kind === 'command');
    expect(command?.part).toMatchObject({ title: '/audit Audit', text: 'Audit src/store.js for missing input checks.' });
    const shell = library.session('ses_e02aa7d2dffe2MNVuAr2hkKDJN');
    const own = shell.parts.find(({ part }) => part.kind === 'command')?.key ?? '';
    expect(shell.body(own).text).toBe('git log --oneline\n\n57c0566 Add a web package\ne60bc00 Start the notes service\n');
  }));

test('attachments: an image with its bytes, a file with its path', () =>
  main((library) => {
    const session = library.session('ses_e0762e6efffedNXO6ObahX01E1');
    const [image, text] = session.parts.filter(({ part }) => part.kind === 'file').map(({ key }) => session.body(key).file);
    expect(image).toMatchObject({ name: 'square.png', mime: 'image/png', source: null, image: { mime: 'image/png' } });
    expect(Buffer.from(image?.image?.data ?? '', 'base64').subarray(1, 4).toString()).toBe('PNG');
    expect(text).toEqual({ name: 'store.js', mime: 'text/plain', image: null, source: 'src/store.js' });
  }));

test('errors and refusals say what happened', () =>
  main((library) => {
    const broken = library.session('ses_e12390258ffeUfJCLGDeQ7saG5');
    expect(broken.body('msg_1edc6fdd8001KZBOKUxcqcD8Hl').text).toBe('APIError: The requested deployment is switched off.');
    const push = library.session('ses_e0be46b49ffeZLcnAASaKwuf2r');
    const refused = called(push, 'bash');
    expect(push.part(refused).part.tool?.status).toBe('denied');
    expect(push.body(refused).tool).toMatchObject({ output: 'The user rejected permission to use this specific tool call with the following feedback: Not before the review.', note: expect.stringContaining('Not before the review.') });
  }));

test('a shortened output is shown whole from where it was saved, also in the second generation and in older versions', () => {
  withFixture(openFixture('opencode', 'v118-v2api'), (library) => {
    const session = library.session('ses_e403fcff0ffeFyceb3UG24hKAA');
    const call = session.parts.find(({ part }) => part.tool?.name === 'bash');
    const { tool } = session.body(call?.key ?? '', call?.part.block);
    expect(tool).toMatchObject({ input: 'cat data/parcels.json; seq 1 2500', exitCode: 0, durationMs: 25 });
    expect(tool?.output).toBe(library.bytes('tool-output/tool_1bfc03551001Ccysqa4MLG0d7J')?.toString('utf8'));
  });
  withFixture(openFixture('opencode', 'v11-json'), (library) => {
    const session = library.session('ses_439f78a7effe8imsnUlaa9ARcH');
    const { tool } = session.body(called(session, 'bash'));
    expect(tool?.output).toBe(library.bytes('tool-output/tool_bc608780f0013DEGcavvMVCDXv')?.toString('utf8'));
  });
});

test('the second generation: blocks of a reply, a compaction, an attachment', () =>
  withFixture(openFixture('opencode', 'v118-v2api'), (library) => {
    const session = library.session('ses_e45661487ffe17Y9FlqxTvfMo2');
    expect(session.body('msg_1ba99f0a3001XaH8Ib4gDit6tQ', 0).text).toBe('A third state is needed.');
    expect(session.body('msg_1ba99f0a3001XaH8Ib4gDit6tQ', 2).tool?.output).toBe("export function status(code) {\n  return code.startsWith('X') ? 'lost' : 'moving';\n}\n");
    expect(session.body('msg_1ba99fa710011q7G54gjk2PnU5', 0).tool?.edits).toMatchObject([{ path: 'track.js', added: 1, removed: 1, patch: expect.stringMatching(/^--- track\.js\n\+\+\+ track\.js\n@@/) }]);
    expect(session.body('msg_1ba9a0043001PSpWOE2LgJe4Uf', 1).file).toMatchObject({ name: 'label.png', image: { mime: 'image/png' } });
    expect(session.body('msg_1ba9a0043001PSpWOE2LgJe4Uf', 2).text).toBe('@explore');
    expect(session.body('msg_1ba9a2df5001dzL1tZK8gdErQX', 1).text).toContain('Provider request failed with HTTP 400');
    const compacted = library.session('ses_e403fc0afffeq5wPaoDpumBZFv');
    expect(compacted.body('msg_1bfc05151001i9r23bOZMgyiaH', 1).text).toBe('Summary of the work so far.');
  }));

test('every part of every fixture has a body, and what search finds is in it', () => {
  expect.hasAssertions();
  for (const name of ['v118-main', 'v118-compaction', 'v115-mid', 'v12-sqlite', 'v11-json', 'v05-json']) {
    withFixture(openFixture('opencode', name), (library) => {
      for (const session of library.sessions) {
        for (const { key, part } of session.parts) {
          const body = session.body(key, part.block);
          if (part.kind === 'text' || part.kind === 'reasoning' || part.kind === 'summary' || part.kind === 'notice') expect(body.text).toBe(part.text);
          if (part.kind === 'tool') expect(body.tool).not.toBe(null);
        }
      }
    });
  }
});

test('the secret of a share is never read', () => {
  for (const name of ['v05-json', 'v11-json', 'v115-mid', 'v12-sqlite', 'v118-from-v12']) {
    withFixture(openFixture('opencode', name), (library) => {
      expect([...library.sources.keys()].length).toBeGreaterThan(0);
      for (const key of library.sources.keys()) expect(library.bytes(key)?.includes('00000000-0000-4000-8000-000000000001')).toBe(false);
    });
  }
});
