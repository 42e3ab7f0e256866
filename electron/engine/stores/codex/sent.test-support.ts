import type { ContextBlock, ContextView, SentPiece } from '../store';
import { codex } from '.';
import type { DrivenPart, DrivenSession, Driver } from './drive.test-support';

/** The context of a driven session, as a library would ask for it. */
export function contextOf(session: DrivenSession, before: number | null = null): ContextView {
  const view = codex.context?.({ spine: session.spine, settled: session.settled, branch: null, before, parts: blocksOf(session) });
  if (!view) throw new Error('Codex has no context');
  return view;
}

function blocksOf({ records, parts }: DrivenSession): ContextBlock[][] {
  const places = new Map(records.map((record, index) => [record, index]));
  const blocks: ContextBlock[][] = records.map(() => []);
  for (const { record, fact, result } of parts) {
    blocks[placeIn(places, record)]?.push({
      block: fact.block, kind: fact.kind, size: fact.size, outputSize: result?.fact.size ?? fact.output?.size ?? 0,
      status: result?.fact.status ?? fact.tool?.status ?? null, result: result ? placeIn(places, result.record) : -1,
    });
  }
  return blocks;
}

const placeIn = (places: Map<DrivenSession['records'][number], number>, record: DrivenPart['record']): number => places.get(record as DrivenSession['records'][number]) ?? -1;

const partAt = (session: DrivenSession, record: number, block: number): DrivenPart => {
  const found = session.parts.find((part) => part.record === session.records[record] && part.fact.block === block);
  if (!found) throw new Error(`no part ${record}:${block}`);
  return found;
};

/** Text of a piece, whole. */
function textOf(session: DrivenSession, driver: Driver, piece: SentPiece): string {
  if (piece.type === 'part') {
    const { body, fact } = partAt(session, piece.record, piece.block);
    return fact.kind === 'file' ? '(picture)' : (body.text ?? '');
  }
  const record = session.records[piece.from] as DrivenSession['records'][number];
  const bytes = driver.sources.get(record.source)?.bytes.subarray(record.at, record.at + record.bytes) ?? new Uint8Array();
  const text = codex.contextText?.(bytes, piece.item) ?? '';
  // A thought's size is that of its record; an item's that of its text.
  if (session.records[piece.from]?.type === 'compacted' && text.length !== piece.size) throw new Error(`item ${piece.item} has ${text.length} characters, not ${piece.size}`);
  return text;
}

const begin = (text: string): string => text.slice(0, 60).replace(/\s+/g, ' ').trim();

/** One line a piece: role, kind, state, first words. */
export function listOf(session: DrivenSession, driver: Driver, view: ContextView): string[] {
  return view.sent.map((piece) => {
    const text = begin(textOf(session, driver, piece)).slice(0, 40);
    if (piece.type === 'synthetic') return `${piece.role} from ${session.records[piece.from]?.key ?? ''}/${piece.item} ${piece.state} ${text}`;
    const { fact, record } = partAt(session, piece.record, piece.block);
    const state = view.records[piece.record]?.state ?? 'unknown';
    const tool = fact.tool ? `${fact.tool.name} +${piece.output === 'whole' ? 'output' : 'placeholder'} ${(fact.title ?? '').slice(0, 30)}` : text;
    return `${record.message?.role ?? ''} ${fact.kind} ${state} ${tool}`.trim();
  });
}

/** The same as items of a request, in the notation of a fixture's `requests.json`; outputs apart, since they stand behind other calls. */
export function requestOf(session: DrivenSession, driver: Driver, view: ContextView): { items: string[]; outputs: string[] } {
  const items: { from: string; role: string; texts: string[] }[] = [];
  const outputs: string[] = [];
  for (const [place, piece] of view.sent.entries()) {
    const text = textOf(session, driver, piece);
    if (piece.type === 'synthetic') {
      const role = session.records[piece.from]?.type === 'response_item/reasoning' ? 'reasoning' : piece.role;
      items.push({ from: `${place}`, role, texts: [text] });
      continue;
    }
    const { fact, record } = partAt(session, piece.record, piece.block);
    const callId = fact.tool?.callId ?? null;
    if (callId !== null) outputs.push(`output ${callId}${piece.output === 'whole' ? '' : ` ${view.placeholders?.none ?? ''}`}`);
    const role = fact.tool ? `call ${fact.tool.name}` : fact.kind === 'reasoning' ? 'reasoning' : record.type === 'response_item/agent_message' ? 'agent' : record.type === 'compacted' ? 'user' : (record.message?.role ?? '');
    // Parts of a message of the person, or of the agent, are one item; what the model brought is one each.
    const from = role === 'user' || role === 'system' ? (record.message?.key ?? '') : `${place}`;
    const last = items.at(-1);
    const said = record.type === 'compacted' ? (wholeSummary(session, driver, piece.record) ?? text) : text;
    if (last && last.from === from && last.role === role) last.texts.push(said);
    else items.push({ from, role, texts: fact.tool ? (callId === null ? [] : [callId]) : [said] });
  }
  return { items: items.map(({ role, texts }) => (role.startsWith('call ') ? [role, ...texts].join(' ') : itemOf(role, texts))), outputs };
}

/** A summary as it is sent, with the words that introduce it. */
function wholeSummary(session: DrivenSession, driver: Driver, index: number): string | null {
  const record = session.records[index] as DrivenSession['records'][number];
  const bytes = driver.sources.get(record.source)?.bytes.subarray(record.at, record.at + record.bytes) ?? Buffer.alloc(0);
  const line = JSON.parse(Buffer.from(bytes).toString('utf8')) as { payload: { message?: string } };
  return line.payload.message ?? null;
}

function itemOf(role: string, texts: string[]): string {
  const pictures = texts.filter((text) => text === '(picture)');
  const whole = [...texts.filter((text) => text !== '(picture)'), ...pictures].join('\n');
  return `${role} ${whole.length}: ${begin(whole)}`;
}
