import { create } from 'zustand';
import { type ExportDone, type ExportFormat, type ExportLook, type ExportProgress, type ExportRefusal, type ExportScope, exportFormats, type SessionId } from '@shared/model';
import type { Params } from '@shared/contract';
import { call, isAbandoned, onEngine, reasonOf } from '../../rpc';
import { shell } from '../../shell';
import { useSession } from '../timeline/state';

/** What is chosen in the dialog; kept while the page is open. */
export interface ExportChoice {
  format: ExportFormat;
  scope: ExportScope;
  toolOutput: boolean;
  reasoning: boolean;
  subagents: boolean;
  redact: boolean;
  /** Classes and ids of findings that are to stand. */
  keep: string[];
}

type Step =
  | { kind: 'looking'; progress: ExportProgress | null }
  | { kind: 'looked'; look: ExportLook }
  | { kind: 'refused'; reason: string }
  | { kind: 'writing'; look: ExportLook; progress: ExportProgress | null }
  | { kind: 'done'; done: ExportDone };

interface ExportState {
  /** Null: the dialog is closed. */
  session: SessionId | null;
  title: string;
  branches: { id: string; current: boolean }[];
  choice: ExportChoice;
  words: string[];
  /** Where to; null: as the look proposes. */
  path: string | null;
  /** Set when there is a file of that name. */
  exists: string | null;
  step: Step;
}

const usual: ExportChoice = { format: 'markdown', scope: { kind: 'whole' }, toolOutput: true, reasoning: true, subagents: true, redact: true, keep: [] };

export const useExport = create<ExportState>(() => ({ session: null, title: '', branches: [], choice: usual, words: [], path: null, exists: null, step: { kind: 'looking', progress: null } }));

/** Cancels what the engine does for the dialog. */
let abort = new AbortController();
let runs = 0;

/** Opens the dialog for the open session. */
export function openExport(): void {
  const { id, detail } = useSession.getState();
  if (id === null || !detail) return;
  const { choice } = useExport.getState();
  useExport.setState({
    session: id, title: detail.summary.title ?? '', branches: detail.branches.map(({ id: branch, current }) => ({ id: branch, current })), path: null, exists: null,
    choice: { ...choice, scope: { kind: 'whole' }, keep: [] },
  });
  void call('share.words', {}).then((words) => useExport.setState({ words })).catch(() => undefined);
  void look();
}

export function closeExport(): void {
  abort.abort();
  useExport.setState({ session: null });
}

/** Changes what is chosen and looks anew. */
export function choose(change: Partial<ExportChoice>): void {
  const { choice } = useExport.getState();
  const next = { ...choice, ...change };
  // A bundle holds the agent's own records whole.
  if (next.format === 'bundle') Object.assign(next, { toolOutput: true, reasoning: true });
  useExport.setState({ choice: next, exists: null, ...(change.format && { path: null }) });
  void look();
}

export function toggleKept(name: string): void {
  const { keep } = useExport.getState().choice;
  choose({ keep: keep.includes(name) ? keep.filter((each) => each !== name) : [...keep, name] });
}

export async function setWords(text: string): Promise<void> {
  const words = await call('share.words', { words: text.split(',').map((word) => word.trim()).filter((word) => word.length > 1) });
  useExport.setState({ words });
  await look();
}

const request = (session: SessionId, run: string): Params<'share.look'> => ({ session, ...useExport.getState().choice, words: [], run });

/** Asks what the export would be; a later question takes the place of an earlier one. */
export async function look(): Promise<void> {
  const { session, step } = useExport.getState();
  if (session === null) return;
  abort.abort();
  abort = new AbortController();
  const { signal } = abort;
  const run = `page ${++runs}`;
  // What was found stays in sight while it is looked at anew.
  if (step.kind !== 'looked') useExport.setState({ step: { kind: 'looking', progress: null } });
  const stop = onEngine('share.progress', (progress) => {
    if (progress.run === run && useExport.getState().step.kind === 'looking') useExport.setState({ step: { kind: 'looking', progress } });
  });
  try {
    const answer = await call('share.look', request(session, run), { signal });
    if (signal.aborted) return;
    if ('refused' in answer) useExport.setState({ step: { kind: 'refused', reason: answer.reason } });
    else useExport.setState(({ path }) => ({ step: { kind: 'looked', look: answer }, path: path ?? proposed(answer) }));
  } catch (error) {
    if (!signal.aborted && !isAbandoned(error)) useExport.setState({ step: { kind: 'refused', reason: reasonOf(error) } });
  } finally {
    stop();
  }
}

const proposed = ({ folder, fileName }: ExportLook): string => (folder === null ? fileName : `${folder}${folder.includes('\\') ? '\\' : '/'}${fileName}`);

/** Writes the file, or has the server of the page hand it out. */
export async function write(overwrite = false): Promise<void> {
  const { session, step, path } = useExport.getState();
  if (session === null || step.kind !== 'looked') return;
  abort = new AbortController();
  const { signal } = abort;
  const run = `page ${++runs}`;
  useExport.setState({ step: { kind: 'writing', look: step.look, progress: null }, exists: null });
  const stop = onEngine('share.progress', (progress) => {
    const now = useExport.getState().step;
    if (progress.run === run && now.kind === 'writing') useExport.setState({ step: { ...now, progress } });
  });
  const target = shell ? ({ kind: 'file', path: path ?? '', overwrite } as const) : ({ kind: 'download' } as const);
  try {
    const answer: ExportDone | ExportRefusal = await call('share.export', { ...request(session, run), target }, { signal });
    if ('refused' in answer) {
      useExport.setState(answer.refused === 'exists' ? { step: { kind: 'looked', look: step.look }, exists: answer.reason } : { step: { kind: 'refused', reason: answer.reason } });
      return;
    }
    useExport.setState({ step: { kind: 'done', done: answer } });
    if (answer.download !== null) fetchDownload(answer.download, answer.fileName);
  } catch (error) {
    if (signal.aborted) useExport.setState(({ session: open }) => (open === null ? {} : { step: { kind: 'looked', look: step.look } }));
    else if (!isAbandoned(error)) useExport.setState({ step: { kind: 'refused', reason: reasonOf(error) } });
  } finally {
    stop();
  }
}

export const cancelWriting = (): void => abort.abort();

/** The browser saves what the server of the page hands out. */
function fetchDownload(id: string, name: string): void {
  const link = document.createElement('a');
  link.href = `/download/${id}?name=${encodeURIComponent(name)}`;
  link.download = name;
  link.click();
}

export const formats = exportFormats;
