import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContextPart, PartView } from '@shared/model';
import { describe, expect, test } from 'vitest';
import { type FixtureFamily, fixtureNames } from '../../../e2e/fixtures';
import { type ContextHome, openHome } from './home.test-support';

/** A piece of a logged request: who, what, its first 70 characters. */
type Line = [role: string, what: string, words: string];

interface Logged {
  program: string;
  how: string;
  sessions: Record<string, Line[]>;
}

const fixtures = join(import.meta.dirname, '../../../e2e/fixtures');
const fileOf = (family: FixtureFamily, name: string) => join(fixtures, family, name, 'requests.json');
const loggedOf = (family: FixtureFamily) => fixtureNames(family).filter((name) => existsSync(fileOf(family, name)));

const head = (text: string): string => text.replace(/<\/?system-reminder>/g, '').replace(/\s+/g, ' ').trim().slice(0, 70).trim();

/** What a piece becomes in a request: words, or a call and its result. */
async function linesOf(family: FixtureFamily, home: ContextHome, piece: ContextPart, view: PartView | undefined): Promise<Line[]> {
  if (piece.id === null || !view) return [[piece.role, 'text', head(piece.text?.text ?? '')]];
  const raw = (await home.ask('part.text', { part: view.id, side: 'raw', from: 0, count: 1_000_000 }))?.text ?? '';
  // The person's own shell line is shown as theirs and sent as a call.
  if (!view.tool && piece.output !== null) return [['assistant', 'call', 'bash'], ['tool', 'result', head(outputIn(raw) ?? '')]];
  if (view.tool && piece.output !== null) {
    const stored = family === 'opencode' && view.tool.name === 'read' && raw.includes('file:///') ? fileAsJson : resultIn(raw, view.tool.callId);
    const output = piece.output === 'whole' ? (stored ?? view.tool.output?.text ?? '') : (piece.text?.text ?? '');
    return [['assistant', 'call', view.tool.name], ['tool', 'result', head(output)]];
  }
  if (piece.kind === 'file' && view.file?.image) return family === 'opencode' ? [] : [[piece.role, 'text', head(`Called the Read tool with the following input: {"file_path":"${view.file.source ?? view.file.name}"`)]];
  const words = head(rendered(raw) ?? view.text?.text ?? '');
  // The program puts a paragraph before such a report.
  return [[piece.role, piece.kind === 'reasoning' ? 'thinking' : 'text', words.startsWith('<task-notification>') ? notification : words]];
}

const notification = '[SYSTEM NOTIFICATION - NOT USER INPUT] This is an automated background';
/** In the second generation of OpenCode the result of a read goes along as JSON of the file. */
const fileAsJson = '{"uri":"file';

/** A result as it stands in the record, where the shown one is a saved file of it, or a file's content. */
function resultIn(raw: string, call: string | null): string | null {
  const row = raw.startsWith('{"t":"part"') ? outputIn(raw) : null;
  if (row !== null) return row;
  const line = raw.split('\n').find((text) => text.includes('"tool_result"') && text.includes(`"${call}"`));
  if (line === undefined) return null;
  const { message } = JSON.parse(line) as { message: { content: { type: string; tool_use_id?: string; content?: string | { text?: string; tool_name?: string }[] }[] } };
  const content = message.content.find((block) => block.type === 'tool_result' && block.tool_use_id === call)?.content;
  return typeof content === 'string' ? content : (content?.map(({ text, tool_name }) => text ?? tool_name ?? '').join('\n') ?? null);
}

/** The output in a part row of OpenCode. */
function outputIn(raw: string): string | null {
  const { r } = JSON.parse(raw.split('\n')[0] ?? '') as { r?: { data?: unknown } };
  const data = (typeof r?.data === 'string' ? JSON.parse(r.data) : r?.data) as { state?: { output?: string } } | undefined;
  return data?.state?.output ?? null;
}

/** The words of a line of Claude Code as the program renders them, where the line itself or its tags tell. */
function rendered(raw: string): string | null {
  const line = raw.startsWith('{"') ? (JSON.parse(raw) as { rendered?: { content?: string }[] | null; subtype?: string; content?: unknown; type?: string; message?: { content?: unknown } }) : {};
  if (line.rendered?.[0]?.content) return line.rendered[0].content;
  if (line.type === 'system' && typeof line.content === 'string') return line.content;
  if (line.type !== 'user') return null;
  const content = line.message?.content;
  if (typeof content === 'string') return content;
  const block = Array.isArray(content) ? (content as { type?: string; text?: string }[]).find(({ type }) => type === 'text') : undefined;
  return block?.text ?? null;
}

/** Characters of a system text that are compared: behind them may stand another that was joined to it. */
const systemWords = 58;

/**
 * What two listings can be held against each other by. Results stand behind the calls of one reply, in whatever order
 * they came. Texts rendered as system are joined into one: its beginning tells which was first. A file that was
 * attached is told by its first block. Reasoning and pictures are not compared.
 */
function normal(lines: readonly Line[], reasoning: readonly string[]): string[] {
  const out: string[] = [];
  const results: string[] = [];
  const close = () => out.push(...results.splice(0).toSorted());
  let before = '';
  for (const line of lines) {
    // The adapter of this provider knows no system text inside a conversation.
    const update = /^<system-update> (.*?)(?: <\/system-update>)?$/.exec(line[2]);
    const [role, what, words] = update ? (['system', 'text', update[1] ?? ''] as const) : line;
    if (what === 'thinking' || what.startsWith('image') || words.startsWith('Result of calling the Read tool')) continue;
    const joined = role === 'system' && before === 'system';
    before = role;
    if (joined) continue;
    const thought = reasoning.find((thinking) => thinking !== '' && words.startsWith(thinking) && words !== thinking);
    // To another model reasoning goes along as text before the reply's own.
    const said = role === 'system' ? words.slice(0, systemWords) : thought ? words.slice(thought.length).trim() : words.startsWith(fileAsJson) ? fileAsJson : words.trim();
    if (what === 'result') results.push(`tool result: ${said}`);
    else {
      if (what !== 'call') close();
      out.push(`${role} ${what}: ${said}`);
    }
  }
  close();
  return out;
}

const families: FixtureFamily[] = ['opencode', 'claude-code'];

describe.each(families)('%s: what the program was seen to send', (family) => {
  test.each(loggedOf(family))('%s', async (name) => {
    const logged = JSON.parse(readFileSync(fileOf(family, name), 'utf8')) as Logged;
    const home = await openHome(family, name);
    try {
      for (const [native, request] of Object.entries(logged.sessions)) {
        const session = home.sessions.find(({ nativeId }) => nativeId === native);
        if (!session) throw new Error(`no session ${native}`);
        const parts = await home.parts(session.id);
        const lines: Line[] = [];
        for (const piece of (await home.context(session.id)).parts) lines.push(...(await linesOf(family, home, piece, parts[piece.index ?? -1])));
        const reasoning = lines.filter(([, what]) => what === 'thinking').map(([, , words]) => words);
        expect({ native, sent: normal(lines, []) }).toEqual({ native, sent: normal(request, reasoning) });
      }
    } finally {
      await home.close();
    }
  });
});
