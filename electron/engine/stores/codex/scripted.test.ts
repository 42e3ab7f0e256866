import { expect, test } from 'vitest';
import { type FixtureFamily, openFixture } from '../../../../e2e/fixtures';
import { drive, type DrivenPart, type DrivenSession, type Driver } from './drive.test-support';

/** What the scripts that made the fixtures did, in their own figures. */
function see(family: FixtureFamily, name: string, check: (session: (part: string) => DrivenSession, all: { sessions: Map<string, DrivenSession>; driver: Driver }) => void): void {
  const fixture = openFixture(family, name);
  try {
    const all = drive(fixture.home);
    check((part) => {
      const found = [...all.sessions].find(([id]) => id.includes(part))?.[1];
      if (!found) throw new Error(`no session ${part}`);
      return found;
    }, all);
  } finally {
    fixture.dispose();
  }
}

const toolsOf = (session: DrivenSession, name: string): DrivenPart[] => session.parts.filter(({ fact }) => fact.tool?.name === name);
const statusOf = ({ fact, result }: DrivenPart): string | undefined => result?.fact.status ?? fact.tool?.status;
const edits = (part: DrivenPart) => part.body.tool?.edits.map(({ path, kind, added, removed }) => [path.replace('/home/dev/projects/', ''), kind, added, removed]);
const notices = (session: DrivenSession) => session.parts.filter(({ fact }) => fact.kind === 'notice' && !fact.injected).map(({ fact }) => fact.title);

test('exec-patch-plan: plans, patches with their lines, commands with their ends', () =>
  see('codex', 'exec-patch-plan', (session) => {
    const main = session('7c44-7043');
    const plans = toolsOf(main, 'update_plan');
    expect(plans.map(({ fact }) => fact.tool?.family)).toEqual(['todo', 'todo', 'todo']);
    const done = ['Read the current table code', 'Add the height function', 'Run the checks'].map((content) => ({ content, status: 'completed', priority: null }));
    expect(plans.at(-1)?.body.tool?.todos).toEqual(done);
    expect(main.facts.todos).toEqual(done);
    const patches = toolsOf(main, 'apply_patch');
    expect(patches.map(statusOf)).toEqual(['completed', 'error', 'completed']);
    expect(edits(patches[0] as DrivenPart)?.sort()).toEqual([['tidepool/src/tide.js', 'edit', 5, 0], ['tidepool/test/tide.test.js', 'create', 4, 0]]);
    expect(edits(patches[1] as DrivenPart)).toEqual([]);
    expect(edits(patches[2] as DrivenPart)?.sort()).toEqual([['tidepool/notes.txt', 'delete', 0, 1], ['tidepool/src/tides.js', 'rename', 1, 1], ['tidepool/test/tide.test.js', 'edit', 1, 1]]);
    expect(patches.map(({ result }) => [result?.fact.added, result?.fact.removed])).toEqual([[9, 0], [0, 0], [2, 3]]);
    expect(patches[2]?.body.tool?.edits.find(({ kind }) => kind === 'delete')?.patch).toBe('--- /home/dev/projects/tidepool/notes.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old notes\n');
    expect(toolsOf(main, 'exec_command').map(({ body }) => [body.tool?.input, body.tool?.exitCode])).toEqual([
      ['cat src/tide.js', 0], ['node test/tide.test.js && git status --short', 0], ['echo one; echo two >&2; exit 3', 3],
    ]);
    expect(toolsOf(main, 'exec_command').map(statusOf)).toEqual(['completed', 'completed', 'error']);
    expect(main.parts.filter(({ fact }) => fact.kind === 'reasoning').map(({ body }) => body.text)).toEqual(['Look before editing.', 'A move plus an import fix.']);
    expect([main.facts.gitBranch, main.facts.model, main.facts.agentVersion, main.facts.directory]).toEqual(['main', 'gpt-5.5', '0.171.0', '/home/dev/projects/tidepool']);
    expect(main.facts.own?.['commit']).toBe('4b64fe5ca89c3fe0e3e86a36d53ade6261d066b5');
  }));

test('exec-patch-plan: what Codex puts in is hidden and never a title', () =>
  see('codex', 'exec-patch-plan', (session) => {
    const hidden = session('7c44-7043').parts.filter(({ settled }) => settled.state === 'hidden');
    expect(hidden.map(({ body }) => body.text?.slice(0, 24))).toEqual(['<skills_instructions>\n##', '<permissions instruction', '<tools>\nDeferred tool na', '# AGENTS.md instructions', '<environment_context>\n  ']);
    expect(hidden.every(({ fact, settled }) => fact.injected && settled.seen)).toBe(true);
  }));

test('errors-images: interrupted, failed and refused turns are told in their place', () =>
  see('codex', 'errors-images', (session) => {
    const troubled = session('8fdb-76b2');
    expect(notices(troubled)).toEqual([
      'Interrupted by the person', 'Interrupted by the person', 'The turn failed: stream disconnected before completion: The mock failed on purpose.', 'The turn failed: mock: invalid request',
      "The turn failed: Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
    ]);
    const commands = troubled.parts.filter(({ fact }) => fact.tool);
    expect(commands.map((part) => [part.fact.tool?.name, part.body.tool?.target, statusOf(part), part.body.tool?.exitCode])).toEqual([
      ['exec_command', 'echo started; sleep 30; echo finished', 'interrupted', -1], ['exec_command', 'read a; echo got $a', 'completed', 0], ['write_stdin', 'kelp\n', 'completed', 0],
      ['user_shell', 'echo mine; exit 4', 'error', 4],
    ]);
    // Its end was recorded after four later turns; it is shown where it was called.
    expect(commands[0]?.body.tool?.output).toBe('started\n');
    expect(troubled.parts.findIndex((part) => part === commands[0])).toBeLessThan(troubled.parts.findIndex(({ body }) => body.text === 'Break the stream'));
    const declined = session('a8b9-7822');
    expect(declined.parts.filter(({ fact }) => fact.tool).map(statusOf)).toEqual(['denied', 'denied']);
    expect(edits(toolsOf(declined, 'apply_patch')[0] as DrivenPart)).toEqual([['tidepool/declined.txt', 'create', 1, 0]]);
    expect(toolsOf(declined, 'apply_patch')[0]?.body.tool?.note).toBe('The person refused this change: nothing was written.');
  }));

test('errors-images: pictures, a search, a review, and what a client injected', () =>
  see('codex', 'errors-images', (session) => {
    const pictures = session('a474-7983');
    const files = pictures.parts.filter(({ fact }) => fact.kind === 'file');
    expect(files.map(({ body }) => [body.file?.mime, body.file?.image?.data.slice(0, 11)])).toEqual([['image/png', 'iVBORw0KGgo'], ['image/png', 'iVBORw0KGgo']]);
    expect(toolsOf(pictures, 'view_image')[0]?.body.tool?.images.map(({ mime }) => mime)).toEqual(['image/png']);
    expect(toolsOf(pictures, 'web_search').map(({ body, fact }) => [body.tool?.target, fact.tool?.status])).toEqual([['tide table format', 'completed']]);
    const reviewed = session('a719-71e0');
    expect(notices(reviewed)).toEqual(['Review begins: Please review the tide code', 'Review ends']);
    expect(reviewed.parts.find(({ fact }) => fact.title === 'Review ends')?.body.text).toContain('Guard the empty day (/home/dev/projects/tidepool/src/tide.js:1)');
    expect(session('a7d1-7192').edges.map(({ kind, parent, evidence }) => [kind, parent, evidence])).toEqual([
      ['subagent', '01a22803-a719-71e0-8bc8-198403405e4e', 'A review whose records name thread 01a22803-a719-71e0-8bc8-198403405e4e as its parent.'],
    ]);
    const injected = session('aa72-7c50').parts.filter(({ body }) => body.text === 'Injected note from a client');
    expect(injected.map(({ fact, settled }) => [fact.injected, settled.state])).toEqual([[true, 'hidden']]);
  }));

test('compaction: the summary stands once, what it replaced is marked, and messages it repeats stay seen', () =>
  see('codex', 'compaction', (session) => {
    const manual = session('3093-7e80');
    const summaries = manual.parts.filter(({ fact }) => fact.kind === 'summary');
    expect(summaries.map(({ body }) => body.text?.startsWith('SUMMARY: heightAt was added'))).toEqual([true]);
    expect(manual.settled.compactions).toBe(1);
    expect(manual.settled.notices.map(({ text }) => text)).toEqual(['Compacted on request (a turn of its own, as its records show).']);
    const states = (role: string) => manual.parts.filter(({ record, fact }) => record.message?.role === role && fact.kind === 'text' && !fact.injected).map(({ settled }) => settled.state);
    expect(states('user')).toEqual(['live', 'live', 'live']);
    expect(states('assistant')).toEqual(['compacted', 'compacted', 'compacted', 'compacted', 'live']);
    expect(session('3650-7031').settled.notices.map(({ text }) => text)).toEqual(['Compacted automatically (inside a turn, as its records show).']);
    expect(session('3555-7973').settled.compactions).toBe(0);
    const reverted = session('3803-75a3');
    expect(reverted.settled.compactions).toBe(1);
    expect(reverted.parts.filter(({ fact }) => fact.kind === 'summary').map(({ settled }) => settled.state)).toEqual(['reverted']);
  }));

test('subagents: nickname, depth and the call that started each; a parent’s conversation handed over is hidden', () =>
  see('codex', 'subagents-v1', (session, { sessions }) => {
    const helpers = [...sessions.values()].filter(({ facts }) => facts.kind === 'subagent');
    expect(helpers.map(({ facts, edges }) => [facts.agentName, facts.own?.['depth'], edges[0]?.callId, edges[0]?.kind]).sort()).toEqual([
      ['Copernicus', 2, 'call_000010', 'subagent'], ['Gauss', 1, 'call_000003', 'subagent'], ['Nietzsche', 1, 'call_000004', 'subagent'],
    ]);
    const heir = session('5baa-7183');
    expect(heir.parts.find(({ body }) => body.text === 'Split the menu work between two helpers')?.settled.state).toBe('hidden');
    expect(toolsOf(session('5a51-7be2'), 'spawn_agent').map(({ body }) => body.tool?.child)).toEqual(['01a22803-5b70-7d50-bf3b-d5a71159ffd7', '01a22803-5baa-7183-a6f9-5b8eddafb6f0']);
  }));

test('subagents of the second kind: known by path, their tasks and answers shown, commands inside scripts found', () =>
  see('codex', 'subagents-v2-codemode', (session) => {
    const root = session('6f17-7711');
    expect(session('7010-7520').facts.title).toBe('/root/scout');
    expect(session('70d3-7873').edges.map(({ parent, callId }) => [parent, callId])).toEqual([['01a22803-7010-7520-a3c1-d4382bdace46', 'call_000006']]);
    expect(session('7010-7520').parts.find(({ fact }) => fact.title === '/root → /root/scout')?.body.text).toBe('Message Type: NEW_TASK\nTask name: /root/scout\nSender: /root\nPayload:\n(encrypted)');
    expect(edits(toolsOf(root, 'apply_patch')[0] as DrivenPart)?.sort()).toEqual([['kiosk/CHANGES.md', 'create', 2, 0], ['kiosk/menu.json', 'edit', 2, 1]]);
    expect(toolsOf(root, 'exec_command').map(({ body }) => [body.tool?.input, body.tool?.exitCode])).toEqual([
      ['cat menu.json && wc -l menu.json', 0], ['git diff --stat', 0], ['exit 2', 2], ['sleep 2; echo slow', 0],
    ]);
    expect(toolsOf(root, 'spawn_agent').map(({ body }) => body.tool?.child)).toEqual(['01a22803-7010-7520-a3c1-d4382bdace46', '01a22803-706b-71b1-95a2-b8610808adbf']);
    expect(notices(session('706b-71b1'))).toEqual(['Reasoning effort: default → low']);
  }));

test.each([['bare-020', '51be91a3'], ['v039', '40b2-7433'], ['ts-cli', '9d91565c']])('%s: patches without line numbers are drawn from what the model wrote', (name, part) =>
  see('codex', name, (session) => {
    const patch = toolsOf(session(part), 'apply_patch')[0] as DrivenPart;
    expect(edits(patch)).toEqual([['berths.py', 'edit', 5, 1], ['NOTES.md', 'create', 1, 0]]);
    expect(patch.body.tool?.edits[0]?.patch).toBe(
      '--- berths.py\n+++ berths.py\n@@ -1,2 +1,6 @@\n def free(berths):\n-    return [b for b in berths if not b["boat"]]\n+    return [b for b in berths if b["boat"] is None]\n+\n+\n+def count_free(berths):\n+    return len(free(berths))\n',
    );
    expect(session(part).facts.directory).toBe('/home/dev/projects/harbor');
  }));

test('ts-cli and bare: commands, no tokens, nothing to resume', () => {
  see('codex', 'ts-cli', (session) => {
    const only = session('9d91565c');
    expect(toolsOf(only, 'local_shell').map(({ body }) => [body.tool?.input, body.tool?.exitCode])).toEqual([['cat berths.py', 0], ['echo out; echo err >&2; exit 5', 5]]);
    expect([...only.messages.values()].every(({ tokens }) => tokens === null)).toBe(true);
    expect(only.facts.own?.['shape']).toBe('bare');
  });
  see('codex', 'bare-020', (session) => expect(toolsOf(session('02b8472e'), 'local_shell').map(statusOf)).toEqual(['error']));
});

test('v050: a backtrack into a new file is a fork worked out from what both have', () =>
  see('codex', 'v050', (session) => {
    const child = session('b823-7be2');
    const parent = session('9bd1-7243');
    const [edge] = child.edges;
    expect([edge?.kind, edge?.certainty, edge?.parent]).toEqual(['fork', 'inferred', parent.native]);
    const texts = (of: DrivenSession, keys: string[]) => of.parts.filter(({ record, fact }) => fact.kind === 'text' && !fact.injected && keys.includes(record.message?.key ?? '')).map(({ body }) => body.text);
    expect(texts(child, edge?.inherited ?? [])).toEqual(['Say hello', 'You asked me to say hello.', 'Count the free berths', 'Reading the file.', 'count_free is in place.']);
    expect(texts(parent, [edge?.after ?? ''])).toEqual(['count_free is in place.']);
    expect(child.settled.compactions).toBe(1);
  }));

test('v098: a backtrack hides its turn; snapshots before turns are checkpoints', () =>
  see('codex', 'v098', (session) => {
    const main = session('52fe-7853');
    expect(main.parts.filter(({ settled, record }) => settled.state === 'reverted' && record.message?.prompt).map(({ body }) => body.text)).toEqual(['Say goodbye']);
    expect(notices(main)).toEqual(['1 turn taken back']);
    expect(main.facts.checkpoints.map(({ id }) => id)).toEqual([
      '6e5a7279a1876854bdbc3c3640427b112e15e47c', '504751c30e41c781c9947b0fa2ba5bf0ee30e4fe', 'd931c70d32851f685e574e53a098fe241a73dc82', 'b3a68b275c311d3c53743a27bd8268185144114c',
      '19750db67c0fc58cb7d0f067ef8e2c41e081aae7',
    ]);
    const [first] = main.facts.checkpoints;
    expect(main.parts.find(({ record }) => record.message?.key === first?.message)?.body.text).toBe('Say hello');
  }));

test('fork-tree: a thread attached to another shows its own turns, and what it knows behind the switch', () =>
  see('codex', 'fork-tree', (session) => {
    const attached = session('9e5c-7d03');
    const texts = (state: string) => attached.parts.filter(({ settled, record, fact }) => settled.state === state && record.message?.prompt && fact.kind === 'text').map(({ body }) => body.text);
    expect(texts('live')).toEqual(['Say attached']);
    expect(texts('hidden')).toEqual(['Add a tide height function', 'What does heightAt return before the first row?', 'Say three', 'Say four']);
    expect(session('9b70-7672').facts.title).toBe('Named while running');
    const fork = session('9d63-7c72').edges[0];
    expect(fork?.parent).toBe('01a22802-9caf-7260-abd6-9a91ec9221ef');
    expect(session('9caf-7260').parts.find(({ record }) => record.message?.key === fork?.after)?.body.text).toBe('`heightAt` is in `src/tide.js`, and the check passes. Plan done.');
  }));

test('cx-fork-by-reference and cx-fork-by-copy: inherited turns are shown, tokens are counted once', () => {
  const tokens = (session: DrivenSession) => {
    const inherited = new Set(session.edges.flatMap((edge) => edge.inherited));
    const own = [...session.messages].filter(([key]) => !inherited.has(key)).map(([, message]) => message.tokens);
    return [own.reduce((sum, each) => sum + (each?.input ?? 0), 0), own.reduce((sum, each) => sum + (each?.output ?? 0), 0)];
  };
  const texts = (session: DrivenSession, inherited: boolean) => {
    const keys = new Set(session.edges.flatMap((edge) => edge.inherited));
    return session.parts.filter(({ fact, record }) => fact.kind === 'text' && keys.has(record.message?.key ?? '') === inherited).map(({ body, record }) => [record.message?.role, body.text]);
  };
  see('field', 'cx-fork-by-reference', (session) => {
    const [parent, fork] = [session('a680-7ca7'), session('3a60-79fd')];
    expect([tokens(parent), tokens(fork)]).toEqual([[4000, 150], [1400, 30]]);
    expect(texts(fork, true)).toEqual([['user', 'Which file sums the rows?'], ['assistant', 'total.js sums the rows.'], ['user', 'Round to cents.'], ['assistant', 'Rounded.']]);
    expect(texts(fork, false)).toEqual([['user', 'Try it without rounding.'], ['assistant', 'Without rounding now.']]);
    expect(parent.parts.find(({ record }) => record.message?.key === fork.edges[0]?.after)?.body.text).toBe('Rounded.');
  });
  see('field', 'cx-fork-by-copy', (session, { sessions }) => {
    const [parent, fork] = [session('019ee40b'), session('019efea6')];
    expect(sessions.size).toBe(2);
    expect([tokens(parent), tokens(fork)]).toEqual([[3000, 200], [2500, 80]]);
    expect(texts(fork, true).length).toBe(4);
    expect(texts(fork, false)).toEqual([['user', 'Rewrite it by hand'], ['assistant', 'Rewritten by hand.']]);
    const own = [...fork.messages.values()].filter(({ key, tokens: billed }) => billed && !fork.edges[0]?.inherited.includes(key));
    expect(own.map(({ time }) => time !== null && new Date(time).toISOString().slice(0, 10))).toEqual(['2026-06-25']);
  });
});

test('cx-index-out-of-step: files and table are joined, and each difference is said', () =>
  see('field', 'cx-index-out-of-step', (session) => {
    expect(session('a680-710a').facts.title).toBe('Return the final report');
    expect(session('a680-710a').facts.notices).toEqual([]);
    const copied = session('f100-765a');
    expect(copied.parts.filter(({ fact }) => fact.kind === 'text' && !fact.injected).map(({ body }) => body.text)).toEqual(['A session that was copied back', 'Copied back and whole.']);
    expect(copied.facts.notices.map(({ text }) => text)).toEqual(["Not in Codex's thread table (state_5.sqlite): Codex does not list it, but reads it when asked for its id."]);
    const lost = session('01a0f6e8');
    expect([lost.facts.title, lost.records.length]).toEqual(['Gone from disk', 0]);
    expect(lost.facts.notices[0]?.text).toContain("Only in Codex's thread table (state_5.sqlite): its file /home/dev/.codex/sessions/2026/10/01/");
  }));
