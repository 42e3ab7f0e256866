import type { BodyRequest, PartBody, ToolBody } from '../store';
import { contentOf } from './content';
import { type FileEdit, editsOf } from './edits';
import { appliedEdit, madeCommit } from './vocabulary';

/** The content of a part, from its record: block 0 is what was written, the others are the edits in an answer. */
export function body(request: BodyRequest): PartBody {
  const content = contentOf(request.record);
  const result = request.result && request.result.record !== request.record ? contentOf(request.result.record).text : null;
  if (request.block > 0) {
    const edit = editsOf(content.text, true)[request.block - 1];
    return { text: null, tool: edit ? editBody(edit, result) : null, file: null };
  }
  const applied = content.form === 'tool' ? appliedEdit(content.text) : null;
  const commit = content.form === 'tool' ? madeCommit(content.text.split('\n', 1)[0] ?? '') : null;
  return { text: content.text, tool: applied && namedEdit(applied.path, content.text), file: null, ...(commit ? { state: { kind: 'commit', hash: commit.hash } } : {}) };
}

const nothing: ToolBody = { target: null, input: null, output: null, exitCode: null, durationMs: null, edits: [], todos: [], images: [], child: null, note: null };

function editBody({ path, kind, added, removed, patch, source }: FileEdit, output: string | null): ToolBody {
  return {
    ...nothing, target: path, input: source, output, edits: [{ path, kind, added, removed, patch, recorded: { unplaced: true, asked: true } }],
    note: patch === null ? 'The answer has the whole new file; what it replaced is not recorded.' : null,
  };
}

/** The history names the file and keeps no text of the edit. */
const namedEdit = (path: string, output: string): ToolBody => ({ ...nothing, target: path, output, edits: [{ path, kind: 'edit', added: 0, removed: 0, patch: null }] });
