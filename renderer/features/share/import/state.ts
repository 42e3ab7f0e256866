import { create } from 'zustand';
import { type JournalEntry, type PlanRefusal, type PlanView, asSessionId } from '@shared/model';
import { show } from '../../../app/route';
import { call, isAbandoned, onEngine, reasonOf } from '../../../rpc';
import { shell } from '../../../shell';
import { importAsked } from './link';
import { discardUpload, sendUp } from './upload';

/** What is looked at: a link, a path, or a file that was sent up. */
interface Source {
  from: string;
  /** As the person knows it. */
  name: string;
  salvage: boolean;
  host: string | null;
}

type Step =
  | { kind: 'asking' }
  | { kind: 'sending'; name: string; done: number; total: number }
  | { kind: 'looking'; name: string; says: string; bytes: number }
  /** `again`: looking once more may help. */
  | { kind: 'refused'; refusal: PlanRefusal; again: boolean }
  | { kind: 'previewed'; plan: PlanView }
  | { kind: 'applying'; plan: PlanView }
  | { kind: 'done'; entry: JournalEntry }
  /** What takes the import back, before it does. */
  | { kind: 'undo'; entry: JournalEntry; plan: PlanView; applying: boolean }
  | { kind: 'undone' };

interface ImportState {
  open: boolean;
  /** In the field. */
  text: string;
  /** A `retrace://` link filled the field in: nothing is fetched before the person says so. */
  byLink: boolean;
  source: Source | null;
  step: Step;
}

const closed: ImportState = { open: false, text: '', byLink: false, source: null, step: { kind: 'asking' } };

/** The dialog that brings a session in. */
export const useImport = create<ImportState>(() => closed);

/** Ends what is asked of the engine. */
let abort = new AbortController();
let runs = 0;

const set = (step: Step): void => useImport.setState({ step });

/** Opens the dialog. One that is at work stays as it is. */
export function openImport(): void {
  if (!useImport.getState().open) useImport.setState({ ...closed, open: true });
}

/** A `retrace://import` link was opened: true when the hash is one. */
export function askImport(hash: string): boolean {
  const asked = importAsked(hash);
  if (asked === null) return false;
  leave();
  if ('refused' in asked) useImport.setState({ ...closed, open: true, step: { kind: 'refused', refusal: { refused: asked.refused, instead: [] }, again: false } });
  else useImport.setState({ ...closed, open: true, text: asked.url, byLink: true });
  return true;
}

export function closeImport(): void {
  // A write that began ends by itself; the journal knows it.
  leave();
  useImport.setState(closed);
}

/** Back to the field, with what was typed. */
export function startOver(): void {
  leave();
  const { text } = useImport.getState();
  useImport.setState({ ...closed, open: true, text });
}

/** What was looked at is wanted no more. */
function leave(): void {
  abort.abort();
  const { step, source } = useImport.getState();
  if (step.kind === 'previewed' || step.kind === 'undo') call('plan.discard', { plan: step.plan.id }).catch(() => undefined);
  if (source?.from.startsWith('upload:')) discardUpload(source.from.slice('upload:'.length));
}

/** Looks at what stands in the field. */
export function lookAtText(): void {
  const from = useImport.getState().text.trim();
  if (from === '') return;
  // A link of ours that was pasted says what it leads to.
  const asked = importAsked(from.replace(/^retrace:\/\//i, '#/'));
  if (asked && 'refused' in asked) return set({ kind: 'refused', refusal: { refused: asked.refused, instead: [] }, again: false });
  const named = asked?.url ?? from;
  leave();
  void look({ from: named, name: named, salvage: false, host: null });
}

/** Files that were dropped or chosen. In the window their path is enough; a page in a browser may be on another machine and sends them. */
export async function takeFiles(files: readonly File[]): Promise<void> {
  const [file] = files;
  if (!file) return;
  leave();
  useImport.setState({ ...closed, open: true });
  if (files.length > 1) return set({ kind: 'refused', refusal: { refused: `${files.length} files at once: give one. Subagents and saved outputs of a transcript are found beside it.`, instead: [] }, again: false });
  const path = shell?.pathOf(file) ?? '';
  if (path !== '') {
    useImport.setState({ text: path });
    return look({ from: path, name: path, salvage: false, host: null });
  }
  abort = new AbortController();
  const { signal } = abort;
  set({ kind: 'sending', name: file.name, done: 0, total: file.size });
  try {
    const sent = await sendUp(file, signal, (done) => !signal.aborted && set({ kind: 'sending', name: file.name, done, total: file.size }));
    if (signal.aborted) return;
    if (typeof sent !== 'string') return set({ kind: 'refused', refusal: { refused: sent.refused, instead: [] }, again: false });
    await look({ from: `upload:${sent}`, name: file.name, salvage: false, host: null });
  } catch (error) {
    if (!signal.aborted) failed(error);
  }
}

/** Text that was dropped. */
export function takeText(text: string): void {
  leave();
  useImport.setState({ ...closed, open: true, text: text.trim().slice(0, 8_192) });
  lookAtText();
}

async function look(source: Source): Promise<void> {
  abort = new AbortController();
  const { signal } = abort;
  const run = `import ${++runs}`;
  useImport.setState({ source, byLink: false, step: { kind: 'looking', name: source.name, says: 'Looking', bytes: 0 } });
  const stop = onEngine('plan.progress', ({ plan, says, bytesDone }) => {
    if (plan === run && !signal.aborted) set({ kind: 'looking', name: source.name, says, bytes: bytesDone });
  });
  try {
    const answer = await call('plan.import', { from: source.from, salvage: source.salvage, run, ...(source.host !== null && { host: source.host }) }, { signal });
    if (signal.aborted) return;
    if (answer === null || !('steps' in answer)) set({ kind: 'refused', refusal: answer ?? { refused: 'There is nothing to import.', instead: [] }, again: true });
    else set({ kind: 'previewed', plan: answer });
  } catch (error) {
    if (!signal.aborted) failed(error);
  } finally {
    stop();
  }
}

function failed(error: unknown): void {
  const refused = isAbandoned(error) ? 'The link to the engine was lost. Nothing was imported.' : reasonOf(error);
  set({ kind: 'refused', refusal: { refused, instead: [] }, again: true });
}

export function lookAgain(): void {
  const { source } = useImport.getState();
  if (source) void look(source);
}

/** One of the ways a refusal leaves open. */
export function takeWay(way: string): void {
  const { source } = useImport.getState();
  if (way.startsWith('open:')) {
    closeImport();
    show({ kind: 'session', session: asSessionId(way.slice('open:'.length)), part: null });
  } else if (source && way === 'salvage') void look({ ...source, salvage: true });
  else if (source && way.startsWith('host:')) void look({ ...source, host: way.slice('host:'.length) });
}

/** Takes in what the preview shows. */
export async function applyImport(): Promise<void> {
  const { step } = useImport.getState();
  if (step.kind !== 'previewed' || step.plan.refused !== null) return;
  set({ kind: 'applying', plan: step.plan });
  const entry = await applied(step.plan.id);
  if (entry) set({ kind: 'done', entry });
}

/** Applies a plan; what went wrong is shown. */
async function applied(plan: string): Promise<JournalEntry | null> {
  try {
    const outcome = await call('plan.apply', { plan });
    if (outcome?.applied) return outcome.entry;
    set({ kind: 'refused', refusal: { refused: outcome?.refused ?? 'The engine was started anew since, and has this plan no more. Nothing was changed.', instead: [] }, again: true });
  } catch (error) {
    const refused = isAbandoned(error) ? 'The link to the engine was lost meanwhile. The journal knows what became of it.' : reasonOf(error);
    set({ kind: 'refused', refusal: { refused, instead: [] }, again: true });
  }
  return null;
}

/** Shows what taking the import back would do. */
export async function planUndo(): Promise<void> {
  const { step } = useImport.getState();
  if (step.kind !== 'done') return;
  try {
    const answer = await call('plan.undo', { entry: step.entry.id });
    if (answer && 'steps' in answer) set({ kind: 'undo', entry: step.entry, plan: answer, applying: false });
    else set({ kind: 'refused', refusal: answer ?? { refused: 'The journal does not know this import any more.', instead: [] }, again: false });
  } catch (error) {
    failed(error);
  }
}

export async function applyUndo(): Promise<void> {
  const { step } = useImport.getState();
  if (step.kind !== 'undo' || step.applying) return;
  set({ ...step, applying: true });
  if (await applied(step.plan.id)) set({ kind: 'undone' });
}

export function keepImport(): void {
  const { step } = useImport.getState();
  if (step.kind !== 'undo') return;
  call('plan.discard', { plan: step.plan.id }).catch(() => undefined);
  set({ kind: 'done', entry: step.entry });
}

export function openImported(session: string): void {
  closeImport();
  show({ kind: 'session', session: asSessionId(session), part: null });
}
