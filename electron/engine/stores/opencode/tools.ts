import type { ToolFamily, ToolStatus } from '@shared/model';
import { asNumber, asObject, asText, type Fields } from '../foreign/fields';
import { oneLine } from './records';

const families: Record<string, ToolFamily> = {
  bash: 'shell', shell: 'shell',
  read: 'read',
  write: 'write',
  edit: 'edit', multiedit: 'edit', patch: 'edit', apply_patch: 'edit',
  grep: 'search', glob: 'search', list: 'search', ls: 'search', codesearch: 'search',
  todowrite: 'todo', todoread: 'todo',
  task: 'subagent',
  webfetch: 'web', websearch: 'web',
  question: 'question',
  plan_enter: 'plan', plan_exit: 'plan',
  lsp: 'other', skill: 'other', batch: 'other', invalid: 'other',
};

/** What a tool does. Names that are not the program's own and have a `_` come from a server: `<server>_<tool>`. */
export function familyOf(tool: string): ToolFamily {
  return families[tool] ?? (/^[^_]+_./.test(tool) ? 'mcp' : 'other');
}

/** Sentences the program puts into `error` when a person, or a rule of theirs, said no. */
const denials = /^(The user (rejected permission|has specified a rule|dismissed this question)|User rejected|Permission denied by)/i;

/** How a call ended. The store says `error` for a refusal and an abort too, and `completed` for an aborted shell command. */
export function statusOf(state: Fields | null): { status: ToolStatus; note: string | null } {
  const recorded = asText(state?.['status']);
  const error = errorOf(state);
  if (recorded === 'error' && error !== null && denials.test(error)) return { status: 'denied', note: oneLine(error) };
  if (recorded === 'error' && (error === 'Tool execution aborted' || asObject(state?.['metadata'])?.['interrupted'] === true)) {
    return { status: 'interrupted', note: 'stopped by the person' };
  }
  if (recorded === 'completed' && abortedOutput.test(asText(state?.['output']) ?? '')) return { status: 'interrupted', note: 'stopped by the person' };
  if (recorded === 'error' || recorded === 'completed' || recorded === 'running' || recorded === 'pending') return { status: recorded, note: null };
  // Second generation: the input is still being written.
  return { status: recorded === 'streaming' ? 'pending' : 'unknown', note: null };
}

const abortedOutput = /<shell_metadata>\s*User aborted the command\s*<\/shell_metadata>\s*$/;

/** An error is a text, or in the second generation an object with a message. */
export function errorOf(state: Fields | null): string | null {
  const error = state?.['error'];
  return asText(error) ?? asText(asObject(error)?.['message']);
}

/** The one thing a call acts on. */
export function targetOf(family: ToolFamily, input: Fields | null, title: string | null): string | null {
  const first = (...names: string[]) => names.map((name) => asText(input?.[name])).find((text) => text !== null && text !== '') ?? null;
  const own = {
    shell: () => first('command'),
    read: () => first('filePath', 'path'),
    write: () => first('filePath', 'path'),
    edit: () => first('filePath', 'path'),
    search: () => first('pattern', 'query', 'path'),
    subagent: () => first('description'),
    web: () => first('url', 'query'),
    todo: () => null,
    question: () => asText(asObject((Array.isArray(input?.['questions']) ? input['questions'] : [])[0])?.['question']),
    plan: () => null,
    mcp: () => null,
    other: () => null,
  }[family]();
  return own ?? (title === '' ? null : title);
}

/** The folded row's line: what was acted on, and an exit code that is not zero. */
export function titleOf(tool: string, target: string | null, exit: number | null): string {
  const line = target ?? tool;
  return oneLine(exit === null || exit === 0 ? line : `${line.slice(0, 180)} · exit ${exit}`);
}

export const exitOf = (metadata: Fields | null): number | null => asNumber(metadata?.['exit']);

/** Every text in a call's input, for search: paths, commands, contents, without the quoting of JSON. */
export function inputText(input: unknown): string {
  const texts: string[] = [];
  collect(input, texts, 0);
  return texts.join('\n');
}

/** Deeper than this no tool nests its input; what lies below is not searched. */
const deepest = 12;

function collect(value: unknown, texts: string[], depth: number): void {
  if (typeof value === 'string') texts.push(value);
  else if (typeof value === 'number' || typeof value === 'boolean') texts.push(String(value));
  else if (depth < deepest && typeof value === 'object' && value !== null) for (const inner of Object.values(value)) collect(inner, texts, depth + 1);
}

/** A call's input as it is shown: the command, or JSON with two spaces. */
export function shownInput(family: ToolFamily, input: Fields | null): string | null {
  if (!input || Object.keys(input).length === 0) return null;
  const command = family === 'shell' ? asText(input['command']) : null;
  return command ?? JSON.stringify(input, null, 2);
}

/** The call ids of calls that the program made itself, for a `!command` or a slash command, are ULIDs. */
export const isOwnCall = (callId: string | null): boolean => callId !== null && /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(callId);
