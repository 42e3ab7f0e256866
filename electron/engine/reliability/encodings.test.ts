import { expect, test } from 'vitest';
import { Timeline } from '../queries/timeline';
import { LibraryTree } from '../queries/tree';
import { Search } from '../search/search';
import { answered, claudeAgent, damageIn, inWrittenHome, lineAgents, said, textAgents } from './home.test-support';

/** Bytes in the place of each mark; Latin-1 keeps all others as they are. */
const marked = (text: string, mark: string, bytes: readonly number[]): Buffer =>
  Buffer.from(Buffer.from(text).toString('latin1').replaceAll(mark, Buffer.from(bytes).toString('latin1')), 'latin1');

test.each(textAgents.flatMap((agent) => ([['a Latin-1 byte', [0xe9]], ['an emoji cut in two', [0xf0, 0x9f]], ['a surrogate as bytes', [0xed, 0xa0, 0xbd]]] as const).map(([what, bytes]) => ({ ...agent, what, bytes }))))(
  '20: not UTF-8: $what in a file of $agent is shown as U+FFFD, and what follows keeps its place',
  (agent) =>
    inWrittenHome(agent, async (home) => {
      home.write(1, marked(`${agent.lines(1, ['caf@ here', 'later']).join('\n').replace('Yes: caf@ here', 'Yes')}\n`, '@', agent.bytes));
      const shelf = await home.read();
      const [session] = shelf.content();
      const texts = said(shelf)[0] ?? [];
      expect(texts[0]).toMatch(/^caf\ufffd+ here$/);
      expect(texts.slice(1)).toEqual(['Yes', ...answered('later')]);
      expect(JSON.stringify(session).isWellFormed()).toBe(true);
      expect(damageIn(shelf)).toEqual(agent.agent === 'Aider' ? [expect.stringMatching(/^\.aider\.chat\.history\.md:5 .*not UTF-8/)] : []);
      // Offsets are those of the bytes: the record behind the odd byte is still found whole.
      const last = session?.parts.findLast(({ kind }) => kind === 'text');
      expect(new Timeline(shelf.library.db, () => agent.store).text(last?.id ?? '', 'raw', 0, 10_000)?.text).toContain('Yes: later');
    }),
);

test.each(lineAgents)('20: half a surrogate, escaped in JSON of $agent, is shown and searched as well-formed text', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.write(1, `${agent.lines(1, ['lone @ half']).join('\n').replaceAll('@', '\\ud83d')}\n`);
    const shelf = await home.read();
    expect(said(shelf)).toEqual([answered('lone \ufffd half')]);
    expect(JSON.stringify(shelf.content()).isWellFormed()).toBe(true);
  }));

test.each(textAgents)('20: a byte order mark before the first record of $agent is no damage', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.write(1, `\ufeff${agent.lines(1, ['one']).join('\n')}\n`);
    const shelf = await home.read();
    expect(said(shelf)).toEqual([answered('one')]);
    expect(damageIn(shelf)).toEqual([]);
  }));

test.each(lineAgents)('20: a UTF-16 file of $agent is named, and the others shown', (agent) =>
  inWrittenHome(agent, async (home) => {
    home.say(1, 'healthy');
    home.write(2, Buffer.from(`\ufeff${agent.lines(2, ['one']).join('\n')}\n`, 'utf16le'));
    const shelf = await home.read();
    expect(said(shelf).filter((texts) => texts.length > 0)).toEqual([answered('healthy')]);
    expect(damageIn(shelf).length).toBeGreaterThan(0);
    expect(damageIn(shelf).every((place) => place.startsWith(`${agent.source(2)}:`) || place.startsWith(`${agent.named(2)}:`))).toBe(true);
  }));

test.each(textAgents)('20: NFC and NFD spellings of one name in $agent: texts stay as they are written, and each is found by either', (agent) =>
  inWrittenHome(agent, async (home) => {
    const [nfc, nfd] = ['caf\u00e9', 'cafe\u0301'];
    home.say(1, `${nfc} composed`);
    home.say(2, `${nfd} apart`);
    const shelf = await home.read();
    expect(said(shelf)).toEqual([answered(`${nfd} apart`), answered(`${nfc} composed`)]);
    const search = new Search(shelf.library.db, new Timeline(shelf.library.db, () => agent.store));
    for (const query of [nfc, nfd, 'cafe']) expect(search.run({ query, from: 0, count: 10 }, false).total, query).toBe(4);
  }));

test.each([['/Users', [2]], ['/home', [1, 1]]])('20: a folder below %s whose name is spelled composed and decomposed: one project where the system takes both for one', (root, projects) =>
  inWrittenHome(claudeAgent, async (home) => {
    const folders = ['caf\u00e9', 'cafe\u0301'].map((name) => `${root}/dev/${name}`);
    for (const [n, folder] of folders.entries()) home.write(n + 1, `${claudeAgent.lines(n + 1, ['one']).join('\n').replaceAll('/home/dev/app', folder)}\n`);
    const shelf = await home.read();
    // Each session keeps the spelling that was recorded.
    expect(shelf.content().map(({ detail }) => detail.summary.directory).sort()).toEqual(folders.toSorted());
    expect(new LibraryTree(shelf.library.db).facets().projects.map(({ sessions }) => sessions)).toEqual(projects);
  }));
