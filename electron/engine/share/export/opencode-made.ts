import { createHash } from 'node:crypto';
import type { PartView, SessionSummary, ToolView } from '@shared/model';
import type { Redactor } from '../redaction/redactor';
import type { OpenedSession } from './opened-session';
import { headOf } from './told';

/**
 * A session of another agent in the shape of `opencode export`: words, reasoning, calls with their output, attachments.
 * Ids are made from the session's own, so that the same export is the same session. What OpenCode has no place for
 * (notices, steps, checkpoints, compactions as such) is left out; a summary stands as text.
 */
export async function* madeOpenCode(session: OpenedSession, redactor: Redactor, step: () => void): AsyncIterable<string> {
  const { summary, models } = redactor.maskAll(headOf(session.detail));
  const ids = new Ids(session.id, Date.parse(summary.created ?? '') || 0);
  const info = sessionInfo(summary, models, ids);
  yield `{"info":${JSON.stringify(info)},"messages":[`;
  let separator = '\n';
  let asked: string | null = null;
  let open: Message | null = null;
  const written = (message: Message): string => {
    const text = `${separator}${JSON.stringify({ info: message.info, parts: message.parts })}`;
    separator = ',\n';
    return text;
  };
  for await (const original of session.parts()) {
    step();
    if (original.state === 'off-branch') continue;
    const part = redactor.maskAll(original);
    const told = partsOf(part);
    if (told.length === 0) continue;
    if (!open || open.of !== part.message.id) {
      if (open && open.parts.length > 0) yield written(open);
      const role = part.message.role === 'assistant' ? 'assistant' : 'user';
      if (role === 'assistant' && asked === null) {
        // Every reply answers somebody.
        const first = begin(ids, info, part, 'user', null);
        first.parts.push({ id: ids.next('prt', null), sessionID: info.id, messageID: first.info['id'], type: 'text', text: 'The beginning of this session is not in this export.', synthetic: true });
        asked = String(first.info['id']);
        yield written(first);
      }
      open = begin(ids, info, part, role, asked);
      if (role === 'user') asked = String(open.info['id']);
    }
    for (const fields of told) open.parts.push({ id: ids.next('prt', part.time), sessionID: info.id, messageID: open.info['id'], ...fields });
  }
  if (open && open.parts.length > 0) yield written(open);
  yield ']}\n';
}

interface Message {
  of: string;
  info: Record<string, unknown>;
  parts: Record<string, unknown>[];
}

type SessionInfo = ReturnType<typeof sessionInfo>;

function sessionInfo(summary: SessionSummary, models: readonly string[], ids: Ids) {
  const created = Date.parse(summary.created ?? '') || 0;
  return {
    id: ids.session(), slug: 'from-retrace', projectID: 'global', directory: summary.directory ?? '/', title: summary.title ?? `Session of ${summary.writtenBy}`, version: '1.0.0',
    time: { created, updated: Date.parse(summary.updated ?? '') || created }, model: summary.model ?? models[0] ?? 'unknown', agent: summary.writtenBy,
  };
}

function begin(ids: Ids, { id: sessionID, directory, model, agent }: SessionInfo, part: PartView, role: 'user' | 'assistant', parentID: string | null): Message {
  const id = ids.next('msg', part.message.time);
  const created = Date.parse(part.message.time ?? '') || ids.time;
  const modelID = part.message.model ?? model;
  const own = role === 'user'
    ? { time: { created }, agent: 'build', model: { providerID: agent, modelID } }
    : {
        time: { created, completed: created }, parentID, modelID, providerID: agent, mode: 'build', agent: 'build', path: { cwd: directory, root: directory }, cost: 0,
        tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }, finish: 'stop',
      };
  return { of: part.message.id, info: { id, sessionID, role, ...own }, parts: [] };
}

function partsOf(part: PartView): Record<string, unknown>[] {
  const text = part.text?.text ?? '';
  const start = Date.parse(part.time ?? '') || 0;
  switch (part.kind) {
    case 'text':
      return text === '' ? [] : [{ type: 'text', text, ...(part.injected && { synthetic: true }) }];
    case 'summary':
    case 'command':
      return text === '' ? [] : [{ type: 'text', text, synthetic: true }];
    case 'reasoning':
      // A reply holds reasoning, a prompt does not.
      return text === '' || part.message.role !== 'assistant' ? [] : [{ type: 'reasoning', text, time: { start, end: start } }];
    case 'tool':
      return part.tool && part.message.role === 'assistant' ? [{ type: 'tool', tool: part.tool.name, callID: part.tool.callId ?? part.nativeId, state: stateOf(part.tool, start) }] : [];
    case 'file': {
      const image = part.file?.image;
      return image?.data ? [{ type: 'file', mime: image.mime, filename: part.file?.name ?? 'attachment', url: `data:${image.mime};base64,${image.data}` }] : [];
    }
    default:
      return [];
  }
}

function stateOf(tool: ToolView, start: number): Record<string, unknown> {
  const input = inputOf(tool.input?.text ?? '');
  const time = { start, end: start + (tool.durationMs ?? 0) };
  const output = tool.output?.text ?? '';
  if (tool.status === 'completed' || tool.status === 'unknown') return { status: 'completed', input, output, title: tool.target ?? tool.name, metadata: {}, time };
  return { status: 'error', input, error: output || tool.note || tool.status, time };
}

function inputOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // A command stands as it is.
  }
  return text === '' ? {} : { command: text };
}

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Ids in OpenCode's form (stores/opencode/FORMAT.md): they rise with time, those of sessions fall. */
class Ids {
  #last = 0n;

  constructor(
    readonly seed: string,
    /** ms, of the last id. */
    public time: number,
  ) {}

  session(): string {
    return `ses_${hex(~(BigInt(this.time) * 4096n + 1n))}${this.#tail('session')}`;
  }

  next(prefix: 'msg' | 'prt', time: string | null): string {
    this.time = Math.max(this.time, Date.parse(time ?? '') || 0);
    const wanted = BigInt(this.time) * 4096n + 1n;
    this.#last = wanted > this.#last ? wanted : this.#last + 1n;
    return `${prefix}_${hex(this.#last)}${this.#tail(`${prefix} ${this.#last}`)}`;
  }

  #tail(of: string): string {
    const digest = createHash('sha256').update(`${this.seed} ${of}`).digest();
    return Array.from({ length: 14 }, (_, at) => letters[(digest[at] ?? 0) % 62]).join('');
  }
}

const hex = (value: bigint): string => BigInt.asUintN(48, value).toString(16).padStart(12, '0');
