import type { CompactionMark, ContextBlock, ContextRequest, ContextView, SentPiece, SettledRecord, SpineRecord } from '../store';
import { listOf, numberOf, textOf } from './entry';
import { type Chain, linkRecords } from './settle/chain';
import { viewOf } from './settle/states';

/** What the program says in place of an output it cleared *(read, not seen)*, and of a result that was never recorded (FORMAT.md, "What is sent"). */
const clearedOutput = '[Old tool result content cleared]';
const lostResult =
  "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. Check whether it took effect before relying on it or running it again.]";
/** What it says for the model when a session is gone on with whose last turn has no answer, and behind a result that names tools. */
const filler = 'No response requested.';
const toolsLoaded = 'Tool loaded.';
/** Characters reckoned for a picture, whose size in tokens no store keeps: about 1,500 tokens. */
const pictureSize = 6_000;

/** What Claude Code would send at a point of a branch (FORMAT.md, "What is sent"). */
export function context({ spine, settled, branch, before, parts }: ContextRequest): ContextView {
  const chain = linkRecords(spine);
  const whole = (branch === null ? settled.branches.find(({ current }) => current) : settled.branches[branch])?.path ?? [];
  const cut = before === null ? -1 : whole.indexOf(before);
  const path = cut < 0 ? whole : whole.slice(0, cut);
  const { states, view } = viewOf(chain, path);
  const later = cut < 0 ? new Set<number>() : new Set(whole.slice(cut));
  const inView = new Set(view);
  const seen = view.filter((index) => states[index]?.seen);
  const sent = inSendingOrder(chain.records, seen).flatMap((index) => piecesOf(chain.records[index] as SpineRecord, states[index] as SettledRecord, parts, inView));
  const interrupted = branch === null && before === null && settled.condition !== 'finished' && endsInLostCall(sent, settled.tools);
  if (interrupted) sent.push({ type: 'synthetic', from: seen.at(-1) ?? -1, item: 0, role: 'assistant', state: 'hidden', text: filler, size: filler.length });
  return {
    records: states.map((state, index) => (before !== null && (later.has(index) || index > before) ? null : state)),
    sent, notes: notesOf(sent, branch, before, chain, path),
    compactions: marksOf(chain.records, path), placeholders: { cleared: clearedOutput, none: lostResult },
  };
}

/**
 * Between two answers the program puts what it rendered for the user before the words of the turn (but behind results
 * of tools), and what it rendered as system behind them.
 */
function inSendingOrder(records: readonly SpineRecord[], view: readonly number[]): number[] {
  const order: number[] = [];
  let rendered: number[] = [];
  let said: number[] = [];
  let system: number[] = [];
  const closeTurn = () => {
    order.push(...rendered, ...said);
    rendered = [];
    said = [];
  };
  for (const index of view) {
    const record = records[index] as SpineRecord;
    if (record.role === 'assistant') {
      closeTurn();
      order.push(...system, index);
      system = [];
    } else if (record.note?.['as'] === 'system') system.push(index);
    else if (record.type.startsWith('attachment/')) rendered.push(index);
    else {
      said.push(index);
      if (listOf(record.note?.['results']).length > 0) closeTurn();
    }
  }
  closeTurn();
  return [...order, ...system];
}

function piecesOf(record: SpineRecord, state: SettledRecord, parts: ContextRequest['parts'], inView: ReadonlySet<number>): SentPiece[] {
  const pieces = (parts[record.index] ?? []).map((block): SentPiece => ({
    type: 'part', record: record.index, block: block.block, output: outputOf(block, state, inView),
    ...(block.kind === 'file' && block.size === 0 ? { size: pictureSize } : {}),
    ...(record.role === 'system' && record.note?.['as'] !== 'system' ? { role: 'user' } : {}),
  }));
  if (record.note?.['loads'] === true) pieces.push({ type: 'synthetic', from: record.index, item: 0, role: 'user', state: 'hidden', text: toolsLoaded, size: toolsLoaded.length });
  return pieces;
}

function outputOf(block: ContextBlock, state: SettledRecord, inView: ReadonlySet<number>): 'whole' | 'cleared' | 'none' {
  if (block.kind !== 'tool') return 'whole';
  if (state.state === 'cleared') return 'cleared';
  return block.result >= 0 ? (inView.has(block.result) ? 'whole' : 'none') : block.outputSize > 0 ? 'whole' : 'none';
}

/** The last thing sent is a call that nothing can answer any more: the program answers it itself when it goes on. */
function endsInLostCall(sent: readonly SentPiece[], lost: ContextRequest['settled']['tools']): boolean {
  const last = sent.at(-1);
  return last?.type === 'part' && last.output === 'none' && lost.some(({ record, block }) => record === last.record && block === last.block);
}

function marksOf(records: readonly SpineRecord[], path: readonly number[]): CompactionMark[] {
  return path.flatMap((index, place) => {
    const record = records[index] as SpineRecord;
    if (record.type !== 'system/compact_boundary') return [];
    const summary = path.slice(place + 1, place + 40).find((at) => records[at]?.note?.['summary'] === true);
    const trigger = textOf(record.note?.['trigger']);
    return [{
      marker: index, summaries: summary === undefined ? [] : [summary], trigger: trigger === 'manual' || trigger === 'auto' ? trigger : null,
      before: numberOf(record.note?.['before']), after: numberOf(record.note?.['after']),
    }];
  });
}

function notesOf(sent: readonly SentPiece[], branch: number | null, before: number | null, chain: Chain, path: readonly number[]): string[] {
  const notes: string[] = [];
  const on = new Set(path);
  if (chain.gaps.some(({ record }) => on.has(record))) notes.push('A record names one before it that is not in the file. Behind a compaction the program sends only what follows such a gap; without one it bridges the gap as is done here.');
  if (sent.some((piece) => piece.type === 'part' && piece.output === 'cleared')) notes.push('Cleared outputs are told after public readers of this format; the program was not seen to clear one.');
  if (branch === null && before === null) notes.push('When the session is resumed, the program adds what has changed since: the date, the environment, the tools there are.');
  if (sent.some((piece) => piece.type === 'part' && piece.size !== undefined)) notes.push('Pictures are reckoned with about 1,500 tokens each.');
  return notes;
}
