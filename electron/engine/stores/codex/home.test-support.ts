import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const threadA = '01a22802-7c44-7043-a645-a8af3f78f5df';
export const threadB = '01a22803-7c44-7043-a645-a8af3f78f5df';
export const threadC = '01a22804-7c44-7043-a645-a8af3f78f5df';
export const turnOf = (number: number): string => `01a22802-7c50-7043-a645-${String(number).padStart(12, '0')}`;

/** A home made by hand in a temporary folder. */
export class Home {
  readonly path = mkdtempSync(join(tmpdir(), 'retrace-codex-'));

  write(place: string, content: string | Uint8Array): string {
    const path = join(this.path, '.codex', place);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  dispose(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function inHome(check: (home: Home) => void): void {
  const home = new Home();
  try {
    check(home);
  } finally {
    home.dispose();
  }
}

export const place = (thread: string, rollout?: string): string => `sessions/2026/11/29/rollout-2026-11-29T15-53-01-${thread}${rollout === undefined ? '' : `_${rollout}`}.jsonl`;

/** Writes lines of the paginated shape; ordinals go on from `from`. */
export class Paginated {
  readonly lines: string[] = [];
  #ordinal: number;
  #turns = 0;

  constructor(
    readonly thread: string,
    meta: Record<string, unknown> = {},
    readonly from = 0,
  ) {
    this.#ordinal = from;
    this.add('session_meta', { id: thread, session_id: thread, timestamp: '2026-11-29T15:53:01.277Z', cwd: '/home/dev/projects/tidepool', cli_version: '0.171.0', source: 'cli', history_mode: 'paginated', ...meta });
  }

  add(type: string, payload: unknown): this {
    const seconds = String(this.lines.length % 60).padStart(2, '0');
    this.lines.push(JSON.stringify({ timestamp: `2026-11-29T15:54:${seconds}.000Z`, ordinal: this.#ordinal++, type, payload }));
    return this;
  }

  /** A whole turn: what the person says, and an answer. */
  turn(text: string, answer = `You asked me to ${text}.`): this {
    const turn = turnOf(this.from * 1000 + this.#turns++);
    const item = (of: Record<string, unknown>) => this.add('event_msg', { type: 'item_completed', thread_id: this.thread, turn_id: turn, item: of });
    this.add('event_msg', { type: 'task_started', turn_id: turn });
    this.add('response_item', { type: 'message', id: `msg_u${this.#ordinal}`, role: 'user', content: [{ type: 'input_text', text }] });
    item({ type: 'UserMessage', id: `u${this.#ordinal}`, content: [{ type: 'text', text }] });
    item({ type: 'AgentMessage', id: `msg_${this.#ordinal}`, content: [{ type: 'Text', text: answer }] });
    return this.add('event_msg', { type: 'task_complete', turn_id: turn });
  }

  get ordinal(): number {
    return this.#ordinal;
  }

  text(): string {
    return `${this.lines.join('\n')}\n`;
  }
}

/** Lines of the legacy shape. */
export const legacy = (entries: [string, unknown][]): string =>
  entries.map(([type, payload], line) => `${JSON.stringify({ timestamp: `2026-11-29T15:54:${String(line % 60).padStart(2, '0')}.000Z`, type, payload })}\n`).join('');
