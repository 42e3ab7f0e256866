import { type Diagnosis, messageId, type PartView, partId, type SessionId, sessionId, splitSessionId, type ToolView } from '@shared/model';
import { familyCode, kindCode, partFlag, roleCode, stateCode, statusCode } from '../library/codes';
import type { Words } from '../library/words';
import type { ImageBody, PartBody, ToolBody } from '../stores/store';
import { clip, type ClipLimit, proseLimit, toolLimit, unlimited } from './clip';
import { messageKeyOf, partKey, type ViewRow } from './part-rows';
import { isoTime } from './session-summary';

/** Characters of a patch that travel with a window; a larger one is asked for when its card is opened. */
const patchLimit = 60_000;
/** Characters of base64 that travel with a window (about 24 kB of picture); a larger image is asked for by itself. */
const imageLimit = 32_000;

/** Makes the view of a part from its row and body. A body that the log lost is said to be missing. */
export function partView(session: SessionId, row: ViewRow, body: PartBody | null, opensMessage: boolean, words: Words, whole: boolean, cause: string | null, diagnoses: Diagnosis[]): PartView {
  const kind = kindCode.word(row.kind);
  const time = (ms: number | null) => isoTime(ms, row.localTime !== 0);
  return {
    id: partId(session, partKey(row)),
    nativeId: partKey(row),
    index: row.seq,
    message: {
      id: messageId(session, messageKeyOf(row)), nativeId: messageKeyOf(row), role: row.role === null ? 'system' : roleCode.word(row.role),
      time: time(row.messageTime), model: words.textOrNull(row.model), agentName: words.textOrNull(row.agent),
    },
    opensMessage,
    kind,
    state: stateCode.word(row.state),
    reason: words.textOrNull(row.reason),
    cause: cause === null ? null : partId(session, cause),
    injected: (row.flags & partFlag.injected) !== 0,
    seen: (row.flags & partFlag.seen) !== 0,
    time: time(row.time ?? row.messageTime),
    bytes: row.bytes + (row.result !== null && row.result !== row.record ? (row.resultBytes ?? 0) : 0),
    title: row.title,
    text: body?.text == null ? null : clip(body.text, whole ? unlimited : proseLimit),
    tool: kind === 'tool' ? toolView(session, row, body?.tool ?? null, words, whole) : null,
    file: body?.file ? { ...body.file, image: body.file.image && imageView(body.file.image, whole) } : null,
    diagnoses,
  };
}

function toolView(session: SessionId, row: ViewRow, body: ToolBody | null, words: Words, whole: boolean): ToolView {
  const limit: ClipLimit = whole ? unlimited : toolLimit;
  const store = splitSessionId(session)?.store;
  const edits = (body?.edits ?? []).map(({ path, kind, added, removed, patch }) => ({ path, kind, added, removed, patch: patch !== null && (whole || patch.length <= patchLimit) ? patch : null }));
  return {
    name: words.textOrNull(row.tool) ?? 'unknown',
    family: row.family === null ? 'other' : familyCode.word(row.family),
    callId: row.call,
    status: row.status === null ? 'unknown' : statusCode.word(row.status),
    target: body?.target ?? row.title,
    input: body?.input == null ? null : clip(body.input, limit),
    output: body?.output == null ? null : clip(body.output, limit),
    exitCode: body?.exitCode ?? null,
    durationMs: body?.durationMs ?? null,
    edits,
    todos: body?.todos ?? [],
    images: (body?.images ?? []).map((image) => imageView(image, whole)),
    child: body?.child && store ? sessionId(store, body.child) : null,
    note: words.textOrNull(row.note) ?? body?.note ?? null,
  };
}

function imageView(image: ImageBody, whole: boolean) {
  return { mime: image.mime, data: whole || image.data.length <= imageLimit ? image.data : null, bytes: Math.floor((image.data.length * 3) / 4) };
}
