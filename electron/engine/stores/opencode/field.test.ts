import { describe, expect, test } from 'vitest';
import { openFixture } from '../../../../e2e/fixtures';
import { resumeCommand } from './resume';
import { type TestLibrary, type TestSession, withFixture } from './library.test-support';

const conversation = (session: TestSession) => session.parts.filter(({ part }) => part.kind === 'text').map(({ role, part }) => ({ role, text: part.text }));
const noticeTexts = (session: TestSession) => [...session.facts.notices, ...session.settled.notices].map(({ text }) => text);

describe('oc-fork-shared-child: one session forked twice, with one helper', () => {
  const original = 'ses_e6483597fffeFJ6kPU9541PZwI';
  const helper = 'ses_e64834dc7ffdXYNHnBq6GDyx1r';
  const read = (check: (library: TestLibrary) => void) => withFixture(openFixture('field', 'oc-fork-shared-child'), check);

  test('both forks come from the original, inferred, and say why', () =>
    read((library) => {
      const forks = library.edges().filter(({ kind }) => kind === 'fork');
      expect(forks.map(({ child, parent, certainty, inherited }) => ({ child, parent, certainty, inherited: inherited.length }))).toEqual([
        { child: 'ses_e64833e27fd9CaoMhdu54PfxvB', parent: original, certainty: 'inferred', inherited: 3 },
        { child: 'ses_e6483420ffe5Z3uyCAgcLqvZno', parent: original, certainty: 'inferred', inherited: 3 },
      ]);
      for (const { evidence } of forks) expect(evidence).toBe(`Likely: its first 3 messages equal those of ${original} in time and content, and its title is that of a fork of it.`);
    }));

  test('the helper belongs to the original, also where a fork’s copy names it', () =>
    read((library) => {
      expect(library.edges().filter(({ child }) => child === helper)).toMatchObject([{ parent: original, kind: 'subagent', certainty: 'recorded', callId: 'call_000009_0' }]);
      const copy = library.session('ses_e6483420ffe5Z3uyCAgcLqvZno').parts.find(({ part }) => part.tool?.name === 'task');
      expect(library.session('ses_e6483420ffe5Z3uyCAgcLqvZno').body(copy?.key ?? '').tool?.child).toBe(helper);
    }));

  test('a fork’s own messages are those after the copies', () =>
    read((library) => {
      const fork = library.session('ses_e64833e27fd9CaoMhdu54PfxvB');
      const inherited = new Set(library.edges().find(({ child }) => child === fork.native)?.inherited);
      expect(fork.parts.filter(({ message, part }) => part.kind === 'text' && !inherited.has(message ?? '')).map(({ role, part }) => ({ role, text: part.text }))).toEqual([
        { role: 'user', text: 'Skip the tests' },
        { role: 'assistant', text: 'Skipped.' },
      ]);
      expect(library.session('ses_e6483420ffe5Z3uyCAgcLqvZno').messageOrder.length).toBe(3);
    }));

  test('totals count each request once', () =>
    read((library) => {
      const edges = library.edges();
      const totals = library.sessions.map((session) => session.tokens(edges));
      expect(totals.reduce((sum, { input }) => sum + input, 0)).toBe(6000);
      expect(totals.reduce((sum, { output }) => sum + output, 0)).toBe(200);
    }));

  test('where two sources can not be told apart the original is kept, and the evidence says so', () =>
    read((library) => {
      // Without titles nothing tells the original, of which three messages are left, from its other fork.
      for (const { evidence } of library.sessions) for (const item of evidence) if (item.slot === 'session') item.data['title'] = 'Untitled';
      const original5 = library.session(original);
      for (const record of original5.held.filter(({ message }) => (message?.time ?? 0) > 1793610005000)) library.drop(record);
      const found = library.edges().find(({ child }) => child === 'ses_e64833e27fd9CaoMhdu54PfxvB');
      expect(found?.parent).toBe(original);
      expect(found?.evidence).toContain('ses_e6483420ffe5Z3uyCAgcLqvZno fits as well; the older one is taken.');
    }));
});

describe('oc-json-left-behind: a half-done migration', () => {
  test('each session once, with its words and where it lies', () =>
    withFixture(openFixture('field', 'oc-json-left-behind'), (library) => {
      expect(library.natives).toEqual(['ses_e6483597fffe8aspm4G7VmSUfO', 'ses_f9980e97fffeztys355NrAlpgs']);
      const moved = library.session('ses_e6483597fffe8aspm4G7VmSUfO');
      expect(moved.facts).toMatchObject({ title: 'New session after the upgrade', alsoIn: ['storage (JSON)'] });
      expect(conversation(moved)).toEqual([{ role: 'user', text: 'Are my old sessions here?' }, { role: 'assistant', text: 'I can not see older ones.' }]);
      expect(moved.held.every(({ source }) => source.startsWith('opencode.db/'))).toBe(true);
      const left = library.session('ses_f9980e97fffeztys355NrAlpgs');
      expect(left.facts).toMatchObject({ title: 'Choose a rounding rule', alsoIn: [] });
      expect(conversation(left)).toEqual([{ role: 'user', text: 'Which rounding rule?' }, { role: 'assistant', text: 'Round half to even.' }]);
      expect(left.held.every(({ source }) => source.startsWith('storage/'))).toBe(true);
    }));

  test('the one left behind says that OpenCode does not show it, and has no resume command', () =>
    withFixture(openFixture('field', 'oc-json-left-behind'), (library) => {
      const left = library.session('ses_f9980e97fffeztys355NrAlpgs');
      expect(noticeTexts(left)).toEqual(['OpenCode does not show this session any more: it lies in the older JSON files only, and the program reads its database.']);
      expect(resumeCommand(left.native, left.facts)).toBe(null);
      const moved = library.session('ses_e6483597fffe8aspm4G7VmSUfO');
      expect(resumeCommand(moved.native, moved.facts)).toEqual({ argv: ['opencode', '--session', 'ses_e6483597fffe8aspm4G7VmSUfO'], cwd: '/home/dev/projects/ledger' });
    }));
});

describe('oc-moved-folder: the project lies elsewhere now', () => {
  test('one project; the older session keeps its recorded folder and is told where it likely is', () =>
    withFixture(openFixture('field', 'oc-moved-folder'), (library) => {
      const before = library.session('ses_e6483597fffedGlMoiyrlfxX1r');
      const after = library.session('ses_e4ac38d7fff6Obr0S2jBdzzC7m');
      expect(before.facts).toMatchObject({ directory: '/home/dev/projects/ledger', projectFolder: '/home/dev/projects/books/ledger' });
      expect(after.facts).toMatchObject({ directory: '/home/dev/projects/books/ledger', projectFolder: '/home/dev/projects/books/ledger' });
      expect(noticeTexts(before)).toContain('The folder /home/dev/projects/ledger is likely /home/dev/projects/books/ledger now: there lies the project of the same id.');
      expect(noticeTexts(after).join('\n')).not.toContain('likely /home');
    }));

  test('paths in tool calls stay as recorded', () =>
    withFixture(openFixture('field', 'oc-moved-folder'), (library) => {
      const before = library.session('ses_e6483597fffedGlMoiyrlfxX1r');
      const call = before.parts.find(({ part }) => part.kind === 'tool');
      expect(before.body(call?.key ?? '').tool?.target).toBe('/home/dev/projects/ledger/total.js');
    }));
});

describe('oc-stuck-tools: the program died during a turn', () => {
  const stuck = 'ses_e6483597fffeFbY8NwcUeb4c0w';
  const helper = 'ses_e648354cfff64Qv91IRnQt72cd';

  test('its calls are interrupted, each with how far it came', () =>
    withFixture(openFixture('field', 'oc-stuck-tools'), (library) => {
      const session = library.session(stuck);
      const { tools, condition } = session.settled;
      expect(condition).toBe('interrupted');
      expect(tools.map(({ record, status, note }) => ({ tool: session.held[record]?.parts[0]?.tool?.name, status, note }))).toEqual([
        { tool: 'bash', status: 'interrupted', note: 'interrupted while running' },
        { tool: 'bash', status: 'interrupted', note: 'never started' },
        { tool: 'task', status: 'interrupted', note: 'interrupted; the helper finished' },
      ]);
      expect(noticeTexts(session)).toContain('The last reply (msg_19b7caa68004b2Jn1qtHUckwuO) has no end, and nothing is being written any more.');
    }));

  test('the helper had finished, and hangs under the call that started it', () =>
    withFixture(openFixture('field', 'oc-stuck-tools'), (library) => {
      expect(library.session(helper).settled.condition).toBe('finished');
      expect(library.edges()).toMatchObject([{ child: helper, parent: stuck, kind: 'subagent', callId: 'call_zz', after: 'msg_19b7caa68004b2Jn1qtHUckwuO' }]);
    }));

  test('while it may still be at work nothing is called interrupted', () =>
    withFixture(openFixture('field', 'oc-stuck-tools'), (library) => {
      library.now = 1793610001250 + 60_000;
      const { condition, tools } = library.session(stuck).settled;
      expect({ condition, tools }).toEqual({ condition: 'finished', tools: [] });
      library.now = 1793610001250 + 31 * 60_000;
      expect(library.session(stuck).settled.condition).toBe('interrupted');
    }));
});
