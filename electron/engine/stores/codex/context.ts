import type { ContextBlock, ContextRequest, ContextView, SentPiece, SettledRecord } from '../store';
import { compactionsIn } from './compactions';
import type { Chain } from './chain';
import type { Evidence } from './evidence';
import { threadAt } from './point';
import { lastCompaction, type Sent } from './sending';
import type { States } from './states';

export { contextText } from './compacted';

/** What Codex would send next in this thread, or would have sent at a point of it (FORMAT.md, "What goes to the model"). */
export function context({ spine, before, parts }: ContextRequest): ContextView {
  const { records } = spine;
  const { evidence, chain, found } = threadAt(spine, before);
  const pieces = new Pieces(found, parts);
  for (const one of found.sent) pieces.add(one);
  return {
    records: records.map(({ index }): SettledRecord | null => found.states.get(index) ?? null),
    sent: pieces.sent,
    notes: notesOf(found, pieces, chain, evidence),
    compactions: compactionsIn(found.live).map(({ record, isManual }) => ({ marker: record, summaries: [record], trigger: isManual === null ? null : isManual ? 'manual' : 'auto', before: null, after: null })),
    placeholders: { cleared: null, none: missingOutput },
  };
}

/** What Codex puts in the place of an output that is not there. */
const missingOutput = 'aborted';

class Pieces {
  readonly sent: SentPiece[] = [];
  encrypted = 0;
  aborted = 0;

  constructor(
    readonly found: States,
    readonly parts: ContextRequest['parts'],
  ) {}

  add(one: Sent): void {
    switch (one.what) {
      case 'record':
        for (const block of this.parts[one.index] ?? []) this.#part(one.index, block);
        return;
      case 'thought':
        this.encrypted++;
        this.sent.push({ type: 'synthetic', from: one.index, item: 0, role: 'assistant', state: 'live', text: null, size: one.size });
        return;
      case 'item':
        this.sent.push({ type: 'synthetic', from: one.index, item: one.item, role: one.role, state: one.role !== 'assistant' && one.said === 0 ? 'hidden' : 'live', text: null, size: one.size });
        return;
    }
  }

  #part(record: number, block: ContextBlock): void {
    // The mark of a compaction is drawn, and not sent; its summary is.
    if (block.kind === 'compaction') return;
    const hasOutput = block.result >= 0 ? this.found.states.has(block.result) : block.outputSize > 0 || block.status === 'completed';
    const isAborted = block.kind === 'tool' && !hasOutput;
    if (isAborted) this.aborted++;
    this.sent.push({ type: 'part', record, block: block.block, output: isAborted ? 'none' : 'whole' });
  }
}

/** What a rebuilt history keeps of a person's messages, in characters: 20,000 tokens of about four. */
const keptCharacters = 80_000;

function notesOf({ live, sent }: States, pieces: Pieces, chain: Chain, evidence: Evidence): string[] {
  const notes = ['Not listed: the base instructions and the tools’ schemas, which go along with every request.'];
  if (evidence.rollouts.length === 0) notes.push('Only prompts are left of this thread: Codex cannot go on with it, and nothing is sent.');
  else if (chain.live?.shape === 'bare') notes.push('Current releases cannot resume a file of this shape; this is what the release that wrote it would send.');
  else notes.push('When Codex resumes the thread, it adds what has changed of its own context (instructions, folder, permissions, skills, model) in front of the next message.');
  if (chain.torn) notes.push('The beginning lies in a rollout that is not here: Codex refuses to resume the thread.');
  const last = live[lastCompaction(live)];
  if (last && last.type !== 'compacted') notes.push('Compacted by the provider: what stands for the messages before is encrypted and not listed.');
  else if (last && !Array.isArray(last.note?.['history'])) {
    const kept = sent.slice(0, sent.findIndex(({ index }) => index === last.index));
    const size = kept.reduce((sum, { index }) => sum + (pieces.parts[index] ?? []).reduce((whole, block) => whole + block.size, 0), 0);
    notes.push('This release did not record what the compaction left: it is rebuilt as Codex does, of the person’s messages and the summary.');
    if (size > keptCharacters) notes.push('Codex keeps only the newest 20,000 tokens of those messages; they are listed whole.');
  } else if (last?.note?.['more'] !== undefined) notes.push(`${String(last.note['more'])} more items of the compaction’s replacement history are not listed.`);
  if (pieces.encrypted > 0) notes.push('Reasoning that is encrypted goes back as it is; its size is that of its record.');
  if (pieces.aborted > 0) notes.push('For a call without a result Codex puts in “aborted”.');
  return notes;
}
