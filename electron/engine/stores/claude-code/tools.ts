import type { ToolFamily } from '@shared/model';
import { type Entry, isEntry, listOf, nameOf, oneLine } from './entry';

const families: ReadonlyMap<string, ToolFamily> = new Map(
  Object.entries({
    shell: ['Bash', 'BashOutput', 'KillShell', 'KillBash', 'PowerShell', 'Monitor'],
    read: ['Read', 'NotebookRead', 'LS', 'ReadMcpResource', 'ListMcpResources'],
    write: ['Write'],
    edit: ['Edit', 'MultiEdit', 'NotebookEdit'],
    search: ['Grep', 'Glob', 'ToolSearch', 'LSP'],
    todo: ['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
    subagent: ['Task', 'Agent'],
    web: ['WebFetch', 'WebSearch', 'web_search', 'web_fetch'],
    question: ['AskUserQuestion'],
    plan: ['ExitPlanMode', 'EnterPlanMode'],
  } satisfies Partial<Record<ToolFamily, string[]>>).flatMap(([family, names]) => names.map((name) => [name, family as ToolFamily] as const)),
);

/** What a tool does, from its name. Tools of MCP servers are called `mcp__server__tool`. */
export function familyOf(name: string): ToolFamily {
  return families.get(name) ?? (name.startsWith('mcp__') ? 'mcp' : 'other');
}

/** Input fields that name the one thing acted on, most telling first. */
const targetFields = ['file_path', 'notebook_path', 'path', 'command', 'pattern', 'description', 'query', 'url', 'subject', 'skill', 'name', 'taskId', 'task_id', 'bash_id', 'shell_id', 'uri'];

/** A search says its pattern before its path; every other tool is told by the first field that it has. */
export function targetOf(name: string, input: Entry): string | null {
  const fields = familyOf(name) === 'search' ? ['pattern', 'query', ...targetFields] : targetFields;
  for (const field of fields) {
    const value = nameOf(input[field]);
    if (value !== null) return value;
  }
  const question = listOf(input['questions'])[0];
  if (isEntry(question)) return nameOf(question['question']);
  if (Array.isArray(input['todos'])) return `${input['todos'].length} todos`;
  const plan = nameOf(input['plan']);
  if (plan !== null) return plan;
  return Object.values(input).map(nameOf).find((value) => value !== null) ?? null;
}

export function titleOf(name: string, input: Entry): string {
  const target = targetOf(name, input);
  return target === null ? name : oneLine(target);
}

/** Nesting below which the values of an input are not searched. */
const deepest = 12;

/** What search finds of a tool's input: its values, not its JSON, so that quotes and line ends are as the tool got them. */
export function inputText(input: Entry): string {
  let text = '';
  const add = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      if (value !== '') text = text === '' ? value : `${text}\n${value}`;
    } else if (typeof value === 'number') {
      text = text === '' ? String(value) : `${text}\n${value}`;
    } else if (depth < deepest && typeof value === 'object' && value !== null) {
      for (const inner of Object.values(value)) add(inner, depth + 1);
    }
  };
  add(input, 0);
  return text;
}
