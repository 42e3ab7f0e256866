import type { Todo, ToolFamily } from '@shared/model';
import { asFilledText, asJsonObject, asList, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import { oneLine } from './fields';
import { type Edit, editsOfPatch, isPatch, patchInCommand } from './patches';

/** A tool call as a response item records it. */
export interface Call {
  name: string;
  family: ToolFamily;
  callId: string | null;
  /** The one thing acted on. */
  target: string | null;
  /** Input as it is shown: the command, the patch, or the arguments, made when it is asked for. */
  input(): string | null;
  /** About how many characters it has. */
  size: number;
  /** What search finds of the input. */
  text: string;
  /** Changes of files as the model asked for them. */
  edits: Edit[];
  todos: Todo[];
}

const families: Record<string, ToolFamily> = {
  exec_command: 'shell', shell: 'shell', shell_command: 'shell', local_shell: 'shell', container_exec: 'shell', write_stdin: 'shell', user_shell: 'shell',
  apply_patch: 'edit',
  read_file: 'read', view_image: 'read', list_dir: 'read', read_mcp_resource: 'mcp', list_mcp_resources: 'mcp', list_mcp_resource_templates: 'mcp',
  grep_files: 'search', tool_search: 'search',
  update_plan: 'todo',
  spawn_agent: 'subagent', wait_agent: 'subagent', send_input: 'subagent', close_agent: 'subagent', resume_agent: 'subagent', list_agents: 'subagent', send_message: 'subagent',
  followup_task: 'subagent', interrupt_agent: 'subagent',
  web_search: 'web',
  request_user_input: 'question',
  exec: 'other', wait: 'other', image_generation: 'other',
};

/** What a tool does, from its name. Tools of servers are called `server__tool`. */
const familyOf = (name: string): ToolFamily => families[name] ?? (name.includes('__') ? 'mcp' : 'other');

/** Argument fields that name the one thing acted on, most telling first. */
const targetFields = ['cmd', 'path', 'file_path', 'dir_path', 'query', 'pattern', 'task_name', 'message', 'target', 'chars', 'url', 'session_id', 'cell_id', 'name'];

/** Types of response items that call a tool; `web_search_call` has no output. */
const callTypes = new Set(['function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call', 'tool_search_call', 'image_generation_call']);
export const isCall = (item: Fields): boolean => callTypes.has(asText(item['type']) ?? '');

/** Reads a call of any kind (FORMAT.md, "Tools"). */
export function callOf(item: Fields): Call {
  const callId = asFilledText(item['call_id']);
  switch (item['type']) {
    case 'local_shell_call':
      return commandCall('local_shell', callId, asObject(item['action'])?.['command']);
    case 'web_search_call':
      return webCall(item);
    case 'custom_tool_call':
      return customCall(asFilledText(item['name']) ?? 'unknown', callId, asText(item['input']) ?? '');
    case 'function_call':
      return functionCall(asFilledText(item['name']) ?? 'unknown', callId, item['arguments']);
    default: {
      const name = (asText(item['type']) ?? 'unknown').replace(/_call$/, '');
      return plainCall(name, callId ?? asFilledText(item['id']), asJsonObject(item['arguments']) ?? asObject(item['action']) ?? {});
    }
  }
}

function functionCall(name: string, callId: string | null, argument: unknown): Call {
  const fields = asJsonObject(argument);
  if (!fields) return { ...plainCall(name, callId, {}), ...plainInput(asText(argument) ?? '') };
  if (name === 'update_plan') return planCall(callId, fields);
  if (Array.isArray(fields['command'])) return commandCall(name, callId, fields['command']);
  const command = asFilledText(fields['cmd']) ?? (familyOf(name) === 'shell' ? asFilledText(fields['command']) : null);
  return command === null ? plainCall(name, callId, fields) : shellCall(name, callId, command);
}

/** A command as a list of words; shells wrap the line that matters. */
function commandCall(name: string, callId: string | null, command: unknown): Call {
  const words = asTexts(command);
  if (words[0] === 'apply_patch' && words[1] !== undefined) return patchCall(callId, words[1]);
  return shellCall(name, callId, commandLine(words));
}

/** `bash -lc "line"` is shown as the line. */
export function commandLine(words: string[]): string {
  const [shell, flag, line] = words;
  if (words.length === 3 && line !== undefined && /(?:^|[\\/])(?:ba|z|da|fi|k)?sh(?:\.exe)?$/.test(shell ?? '') && /^-\w*c$/.test(flag ?? '')) return line;
  if (words.length === 3 && line !== undefined && /(?:powershell|pwsh)(?:\.exe)?$/i.test(shell ?? '')) return line;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

function shellCall(name: string, callId: string | null, command: string): Call {
  const patch = patchInCommand(command);
  if (patch !== null) return { ...patchCall(callId, patch), ...plainInput(command) };
  return { name, family: 'shell', callId, target: command, ...plainInput(command), edits: [], todos: [] };
}

function customCall(name: string, callId: string | null, input: string): Call {
  if (name === 'apply_patch' || isPatch(input)) return patchCall(callId, input);
  return { name, family: familyOf(name), callId, target: input === '' ? null : oneLine(input), ...plainInput(input), edits: [], todos: [] };
}

function patchCall(callId: string | null, patch: string): Call {
  const edits = editsOfPatch(patch);
  const target = edits.map(({ path }) => path).join(', ');
  return { name: 'apply_patch', family: 'edit', callId, target: target === '' ? null : target, ...plainInput(patch), edits, todos: [] };
}

function planCall(callId: string | null, fields: Fields): Call {
  const todos = asObjects(fields['plan']).map((step) => ({ content: asText(step['step']) ?? '', status: asText(step['status']) ?? 'pending', priority: null }));
  const explanation = asFilledText(fields['explanation']);
  const done = todos.filter(({ status }) => status === 'completed').length;
  const text = [...(explanation === null ? [] : [explanation]), ...todos.map(({ content }) => content)].join('\n');
  return { name: 'update_plan', family: 'todo', callId, target: explanation ?? `${done} of ${todos.length} steps done`, text, ...fieldsInput(fields, text), edits: [], todos };
}

function webCall(item: Fields): Call {
  const action = asObject(item['action']);
  const target = asFilledText(action?.['query']) ?? asFilledText(item['query']) ?? asFilledText(action?.['url']) ?? asFilledText(action?.['pattern']);
  return { name: 'web_search', family: 'web', callId: null, target, text: target ?? '', ...(action ? fieldsInput(action, target ?? '') : plainInput(target ?? '')), edits: [], todos: [] };
}

function plainCall(name: string, callId: string | null, fields: Fields): Call {
  const target = targetFields.map((field) => asFilledText(fields[field])).find((value) => value !== null) ?? null;
  const text = valuesOf(fields);
  return { name, family: familyOf(name), callId, target, text, ...fieldsInput(fields, text), edits: [], todos: [] };
}

/** The call that a CommandExecution or FileChange item stands for when no other record has it. */
export function callOfItem(item: Fields): Call {
  if (item['type'] === 'FileChange') {
    const paths = Object.keys(asObject(item['changes']) ?? {});
    return { name: 'apply_patch', family: 'edit', callId: null, target: paths.join(', ') || null, ...fieldsInput({}, ''), text: paths.join('\n'), edits: [], todos: [] };
  }
  return shellCall(item['source'] === 'user_shell' ? 'user_shell' : 'exec_command', null, commandLine(asTexts(item['command'])));
}

export const titleOf = (call: Call): string => oneLine(call.target ?? call.name);

/** An input that is shown as it was written. */
const plainInput = (text: string) => ({ input: () => (text === '' ? null : text), text, size: text.length });

/** An input of fields, shown as JSON with two spaces. */
const fieldsInput = (fields: Fields, text: string) => ({ input: () => (Object.keys(fields).length === 0 ? null : JSON.stringify(fields, null, 2)), size: text.length });

/** Nesting below which the values of an input are not searched. */
const deepest = 12;

/** The values of an input, not its JSON, so that quotes and line ends are as the tool got them. */
function valuesOf(input: Fields): string {
  const texts: string[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'number') texts.push(String(value));
    else if (depth < deepest && typeof value === 'object' && value !== null) for (const inner of Array.isArray(value) ? asList(value) : Object.values(value)) collect(inner, depth + 1);
  };
  collect(input, 0);
  return texts.join('\n');
}
