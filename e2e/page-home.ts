import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { temporaryFolder } from './launch';

/** One thing that is said or done in a transcript of `claudeHome`. */
export type Said =
  | { you: string }
  | { agent: string }
  | { tool: string; input: Record<string, unknown>; output: string; failed?: boolean; result?: unknown };

export interface Transcript {
  id: string;
  project: string;
  said: Said[];
  /** Time of the last record, ISO 8601; earlier records stand a second apart. */
  at: string;
}

export interface MadeHome {
  home: string;
  /** The transcript's file; a test appends to it as the agent would. */
  fileOf(transcript: Transcript): string;
  remove(): void;
}

/** A home with Claude Code transcripts whose content the test chooses: what no real program can be made to write. */
export function claudeHome(transcripts: Transcript[]): MadeHome {
  const folder = temporaryFolder();
  const fileOf = ({ id, project }: Transcript) => join(folder.path, '.claude/projects', `-home-dev-${project.replaceAll('/', '-')}`, `${id}.jsonl`);
  for (const transcript of transcripts) {
    mkdirSync(dirname(fileOf(transcript)), { recursive: true });
    writeFileSync(fileOf(transcript), recordsOf(transcript, 0).join(''));
  }
  return { home: folder.path, fileOf, remove: () => folder.remove() };
}

/** Lines for the things said from a number on; each names the one before it as its parent. */
export function recordsOf({ id, project, said, at }: Transcript, from: number): string[] {
  const last = Date.parse(at);
  // Keys are of this session alone: shared ones would make a fork of it.
  const key = (number: number, answer = false) => `${id.slice(0, 8)}-${answer ? '1' : '0'}000-4000-8000-${String(number).padStart(12, '0')}`;
  const lastKey = (number: number) => (number < 0 ? null : key(number, 'tool' in (said[number] as Said)));
  return said.flatMap((each, number) => {
    if (number < from) return [];
    const common = { isSidechain: false, userType: 'external', cwd: `/home/dev/${project}`, sessionId: id, version: '2.1.300', gitBranch: 'main', timestamp: new Date(last - (said.length - 1 - number) * 1_000).toISOString() };
    const record = (type: 'user' | 'assistant', uuid: string, parentUuid: string | null, content: unknown, more = {}) => {
      const message =
        type === 'user'
          ? { role: 'user', content }
          : { id: `msg_${uuid}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content, stop_reason: 'end_turn', usage: { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 0 } };
      return `${JSON.stringify({ parentUuid, ...common, type, message, uuid, ...more })}\n`;
    };
    const parent = lastKey(number - 1);
    if ('you' in each) return [record('user', key(number), parent, each.you)];
    if ('agent' in each) return [record('assistant', key(number), parent, [{ type: 'text', text: each.agent }])];
    const call = `toolu_${id.slice(0, 8)}_${number}`;
    return [
      record('assistant', key(number), parent, [{ type: 'tool_use', id: call, name: each.tool, input: each.input }]),
      record('user', key(number, true), key(number), [{ type: 'tool_result', tool_use_id: call, content: each.output, ...(each.failed && { is_error: true }) }], each.result === undefined ? {} : { toolUseResult: each.result }),
    ];
  });
}

/** Waits until the library has read everything. */
export async function indexed(page: Page): Promise<void> {
  await page.getByRole('tree').or(page.getByRole('heading', { name: /No agents found|No sessions yet/ })).first().waitFor();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
}

/** Opens a session by its title in the tree. */
export async function openByTitle(page: Page, title: string | RegExp): Promise<void> {
  await page.getByRole('treeitem', { name: title }).first().click();
  await page.locator('.part').first().waitFor();
}
