import { createReadStream, rmSync } from 'node:fs';
import { type ExportDone, type ExportLook, type ExportRefusal, type ExportScope, type Finding, findingClasses } from '@shared/model';
import { type CommandContext, Refusal } from '../command-context';
import { byteCount, countOf } from '../figures';
import { Interrupted } from '../interrupted';
import { plainLine } from '../plain-text';
import type { ExportCommand } from '../request';
import { sessionNamed } from '../sessions';
import type { ExitCode } from '../surroundings';

/** `retrace export`: writes a session to a file or to stdout. With `--json` and without `--out` nothing is written: the answer says what would be. */
export async function exportSession(context: CommandContext, request: ExportCommand): Promise<ExitCode> {
  const { engine, json, out } = context;
  const session = await sessionNamed(engine, request.session);
  const { format, toolOutput, reasoning, subagents, redact, keep, mask: words } = request;
  const asked = { session, format, scope: scopeOf(request), toolOutput, reasoning, subagents, redact, keep, words, run: 'command line' };
  const look = () => untilInterrupted(context, (signal) => engine.call('share.look', asked, { signal }));
  if (json && request.out === null) {
    const { head: _head, whole: _whole, folder: _folder, ...facts } = told<ExportLook>(await look());
    await out.json({ ...facts, written: null });
    return 0;
  }
  const target = request.out === null ? ({ kind: 'download' } as const) : ({ kind: 'file', path: request.out, overwrite: request.force } as const);
  // The look comes first: what it found is known to the export that follows.
  const { findings, findingsTotal } = told<ExportLook>(await look());
  const done = told<ExportDone>(await untilInterrupted(context, (signal) => engine.call('share.export', { ...asked, target }, { signal })));
  const { download: _download, path, ...facts } = done;
  if (request.out === null) await print(context, path);
  else if (json) await out.json({ ...facts, findings, findingsTotal, written: path });
  else await out.line(plainLine(`${path}: ${byteCount(done.bytes)}, ${countOf(done.messages, 'message')}${done.sessions > 1 ? ` of ${done.sessions} sessions` : ''}`));
  if (!json) warnOf(context, done, findings, findingsTotal);
  // Of more findings than are named here it is not known what is among them.
  if (redact && findingsTotal === findings.length) warnOfUnused(context, request, findings);
  return 0;
}

/** Ctrl-C cancels the work: the engine then removes what it has written. */
async function untilInterrupted<T>({ onInterrupt }: CommandContext, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController();
  const stop = onInterrupt(() => abort.abort(new Interrupted()));
  try {
    return await work(abort.signal);
  } finally {
    stop();
  }
}

function scopeOf({ branch, turns }: ExportCommand): ExportScope {
  if (turns) return { kind: 'turns', branch, ...turns };
  return branch === null ? { kind: 'whole' } : { kind: 'branch', branch };
}

function told<T extends object>(answer: T | ExportRefusal): T {
  if (!('refused' in answer)) return answer;
  const refusal = answer as ExportRefusal;
  throw new Refusal(refusal.refused === 'exists' ? `${refusal.reason} --force replaces it.` : refusal.reason);
}

/** The file that the engine wrote, to stdout; then it goes. */
async function print({ out }: CommandContext, path: string | null): Promise<void> {
  if (path === null) return;
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) await out.write(String(chunk));
  } finally {
    rmSync(path, { force: true });
  }
}

/** Findings named one by one. */
const named = 20;

/** What was masked, on stderr: stdout may be the file. */
function warnOf({ warn }: CommandContext, { redaction }: ExportDone, findings: readonly Finding[], total: number): void {
  if (!redaction.applied) return warn('Nothing was masked.');
  if (findings.length === 0) return warn('Nothing to mask was found.');
  warn('Masked:');
  for (const { id, name, hint, count: places, kept } of findings.slice(0, named)) warn(plainLine(`  ${id}  ${name} ${hint}, ${countOf(places, 'place')}${kept ? ' (kept)' : ''}`));
  if (total > named) warn(`  and ${total - named} more; --json names ${total > findings.length ? `the first ${findings.length.toLocaleString('en-US')}` : 'them'}`);
}

const isClass = (what: string): boolean => findingClasses.some((kind) => kind === what);

/** What was asked for in vain: a word with a slip of the pen would leave as it is. */
function warnOfUnused({ warn }: CommandContext, { keep, mask }: ExportCommand, findings: readonly Finding[]): void {
  for (const word of mask) if (!findings.some(({ class: kind, hint }) => kind === 'word' && hint.toLowerCase() === word.trim().toLowerCase())) warn(plainLine(`--mask ${JSON.stringify(word)}: no place was masked for this word.`));
  for (const what of keep) if (!isClass(what) && !findings.some(({ id }) => id === what)) warn(plainLine(`--keep ${JSON.stringify(what)}: no finding has this id.`));
}
