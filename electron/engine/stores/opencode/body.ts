import { nativeId } from '@shared/model';
import type { BodyRequest, FilesState, ImageBody, PartBody, ToolBody } from '../store';
import { childOf } from './calls';
import { editsOf, editsOfTurn } from './edits';
import { type Line, readLine } from './lines';
import { messageOf } from './faults';
import { outputFolder } from './places';
import { secondOutput } from './project-v2';
import { asJsonObject, asList, asNumber, asObject, asObjects, asText, asTexts, type Fields } from '../foreign/fields';
import { errorOf, exitOf, familyOf, isOwnCall, shownInput, statusOf, targetOf } from './tools';

const empty: PartBody = { text: null, tool: null, file: null };
const prose = (text: string | null): PartBody => ({ ...empty, text });

/** The content of a part, from its row. */
export function body(request: BodyRequest): PartBody {
  const line = readLine(request.record, 0);
  if (!line) return empty;
  const data = asJsonObject(line.row[line.kind === 'input' ? 'prompt' : 'data']);
  if (!data) return prose(damagedText(line));
  if (line.kind === 'part') return partBody(data, request);
  if (line.kind === 'message') return prose(request.block === 0 ? messageOf(data['error']) : JSON.stringify(data['structured'] ?? null, null, 2));
  return asText(line.row['type']) === 'assistant' ? replyBody(data, request) : secondBody(asText(line.row['type']), data, request.block);
}

/** A row that is no JSON is shown as it stands. */
const damagedText = ({ row }: Line): string | null => asText(row['data']) ?? asText(row['prompt']);

function partBody(data: Fields, request: BodyRequest): PartBody {
  switch (data['type']) {
    case 'tool':
      return toolPartBody(data, request);
    case 'file':
      return { ...empty, file: fileBody(asText(data['filename']), asText(data['mime']), asText(data['url']), asText(asObject(data['source'])?.['path'])) };
    case 'text':
    case 'reasoning':
      return prose(asText(data['text']));
    case 'subtask':
      return prose(asText(data['prompt']));
    case 'agent':
      return prose(`@${asText(data['name']) ?? ''}`);
    case 'patch':
      return { ...prose(asTexts(data['files']).join('\n')), ...stepState(asText(data['hash']), null, data['files']) };
    case 'retry':
      return prose(messageOf(data['error']));
    case 'step-start':
      return { ...empty, ...treeState('before', data['snapshot']) };
    case 'step-finish':
      return { ...empty, ...treeState('after', data['snapshot']) };
    case 'snapshot':
    case 'compaction':
      return empty;
    default:
      return prose(JSON.stringify(data, null, 2));
  }
}

const treeState = (when: 'before' | 'after', tree: unknown): { state?: FilesState } => (typeof tree === 'string' && tree !== '' ? { state: { kind: 'tree', when, tree } } : {});

const stepState = (before: string | null, after: string | null, files: unknown): { state?: FilesState } => (before === null ? {} : { state: { kind: 'step', before, after, files: asTexts(files) } });

/** Changes over a turn, from the row of its prompt. */
export function turnDiff(record: Uint8Array): ToolBody['edits'] {
  const line = readLine(record, 0);
  const data = line?.kind === 'message' ? asJsonObject(line.row['data']) : null;
  return data ? editsOfTurn(data) : [];
}

function toolPartBody(data: Fields, { file }: BodyRequest): PartBody {
  const state = asObject(data['state']);
  const metadata = asObject(state?.['metadata']);
  const tool = asText(data['tool']) ?? 'unknown';
  const shown = toolBody({
    tool, state, metadata, time: asObject(state?.['time']), start: 'start', end: 'end',
    output: savedOutput([asText(metadata?.['outputPath']) ?? savedPath(asText(state?.['output']))], file) ?? asText(state?.['output']) ?? errorOf(state) ?? asText(metadata?.['output']),
    child: familyOf(tool) === 'subagent' ? childOf(data) : null,
  });
  // The person's own shell line is shown as what they typed and what came of it.
  const own = tool === 'bash' && isOwnCall(asText(data['callID']));
  return { text: own ? [shown.input, shown.output].filter((text) => text !== null && text !== '').join('\n\n') : null, tool: shown, file: null };
}

interface Call {
  tool: string;
  state: Fields | null;
  metadata: Fields | null;
  time: Fields | null;
  start: string;
  end: string;
  output: string | null;
  child: string | null;
}

function toolBody({ tool, state, metadata, time, start, end, output, child }: Call): ToolBody {
  const family = familyOf(tool);
  const input = asObject(state?.['input']);
  const { status, note } = statusOf(state);
  const began = asNumber(time?.[start]);
  const ended = asNumber(time?.[end]);
  return {
    target: targetOf(family, input, asText(state?.['title'])),
    input: shownInput(family, input),
    output,
    exitCode: exitOf(metadata),
    durationMs: began !== null && ended !== null && ended >= began ? ended - began : null,
    edits: status === 'completed' ? editsOf(family, input, metadata) : [],
    todos: family === 'todo' ? todosOf(asList(metadata?.['todos']).length > 0 ? metadata?.['todos'] : input?.['todos']) : [],
    images: imagesOf(state),
    child: child === null ? null : nativeId(child),
    note: note ?? answersOf(metadata),
  };
}

const todosOf = (value: unknown): ToolBody['todos'] =>
  asObjects(value).map((todo) => ({ content: asText(todo['content']) ?? '', status: asText(todo['status']) ?? '', priority: asText(todo['priority']) }));

/** Answers to questions, one line each. */
function answersOf(metadata: Fields | null): string | null {
  const answers = asList(metadata?.['answers']).map((answer) => asTexts(answer).join(', ')).filter(Boolean);
  return answers.length === 0 ? null : `answered: ${answers.join('; ')}`;
}

/** Images a tool gave back. */
function imagesOf(state: Fields | null): ImageBody[] {
  return [...asObjects(state?.['attachments']), ...asObjects(state?.['content'])].map((item) => imageOf(asText(item['mime']), asText(item['url']) ?? asText(item['uri']))).filter((image) => image !== null);
}

function imageOf(mime: string | null, url: string | null): ImageBody | null {
  const data = /^data:(image\/[\w.+-]+);base64,/.exec(url ?? '');
  return data && url ? { mime: mime ?? (data[1] as string), data: url.slice(data[0].length) } : null;
}

function fileBody(name: string | null, mime: string | null, url: string | null, path: string | null): PartBody['file'] {
  return { name: name ?? path, mime, image: imageOf(mime, url), source: path ?? (url === null || url.startsWith('data:') ? null : url) };
}

/** The path a shortened output names for the whole; older versions say it only in the text. */
const savedPath = (output: string | null): string | null => /Full output saved to: (\S+)/.exec(output ?? '')?.[1] ?? null;

/** The whole of a shortened output, when it was saved before the program deleted it (FORMAT.md, "Long output"). */
function savedOutput(paths: readonly (string | null)[], file: BodyRequest['file']): string | null {
  for (const path of paths) {
    const name = path?.split(/[\\/]/).at(-1);
    const bytes = name ? file(`${outputFolder}/${name}`) : null;
    if (bytes) return Buffer.from(bytes).toString('utf8');
  }
  return null;
}

function replyBody(data: Fields, { block, file }: BodyRequest): PartBody {
  const content = asList(data['content']);
  const item = asObject(content[block]);
  if (block === content.length) {
    const { start, end, files } = asObject(data['snapshot']) ?? {};
    return { ...prose(asTexts(files).join('\n')), ...stepState(asText(start), asText(end), files) };
  }
  if (!item) return prose(messageOf(data['error']));
  if (item['type'] !== 'tool') return prose(asText(item['text']) ?? JSON.stringify(item, null, 2));
  const state = asObject(item['state']);
  const saved = savedOutput(asTexts(state?.['outputPaths']), file);
  const call = { tool: asText(item['name']) ?? 'unknown', state, metadata: asObject(state?.['structured']), time: asObject(item['time']), start: 'ran', end: 'completed' };
  return { ...empty, tool: toolBody({ ...call, output: saved ?? secondOutput(state), child: null }) };
}

function secondBody(type: string | null, data: Fields, block: number): PartBody {
  if (type === 'compaction') return block === 1 ? prose(asText(data['summary'])) : empty;
  if (type === 'shell') return prose([asText(data['command']), asText(data['output'])].filter((text) => text !== null).join('\n\n'));
  const files = asObjects(data['files']);
  const attached = files[block - 1];
  if (attached) return { ...empty, file: fileBody(asText(attached['name']), asText(attached['mime']), asText(attached['uri']), null) };
  const agent = asObjects(data['agents'])[block - 1 - files.length];
  return prose(agent ? `@${asText(agent['name']) ?? ''}` : asText(data['text']));
}
