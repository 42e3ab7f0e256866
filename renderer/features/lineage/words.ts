import type { Edge, FamilySession, Tokens } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf, formatExact, formatShort } from '../../ui/format';
import { agentNames, edgeOf } from '../../ui/words';
import type { MapItem } from './graph';

/** Words of the lineage map that cards, reading order and facts share. */

export const nameOf = (session: FamilySession): string => {
  if (!session.known) return 'No store has this session';
  return session.title === null || session.title === '' ? 'Untitled session' : visibleControls(session.title);
};

export const sumOf = (tokens: Tokens): number => tokens.input + tokens.cacheRead + tokens.cacheWrite + tokens.output + tokens.reasoning;

/** "34k tokens of its own, 56k with 4 subagents" */
export function tokenWords({ tokens, rolledUp, subagents, untold }: FamilySession): string | null {
  const own = tokens === null ? null : `${formatShort(sumOf(tokens))} tokens of its own`;
  if (subagents === 0 || rolledUp === null) return own;
  const rest = untold === 0 ? '' : `; ${untold === subagents ? 'these do' : `${untold} of them ${untold === 1 ? 'does' : 'do'}`} not tell`;
  return `${own ?? 'its own tokens are not told'}, ${formatShort(sumOf(rolledUp))} with ${countOf(subagents, 'subagent')}${rest}`;
}

/** What is worth knowing of a session beside its facts. */
export function conditionsOf(session: FamilySession): string[] {
  return [
    session.live ? 'live' : '', session.reverted ? 'part of it was taken back' : '', session.known && session.source === 'gone' ? 'the agent has deleted it' : '',
    session.damage > 0 ? `${countOf(session.damage, 'place')} could not be read` : '',
  ].filter(Boolean);
}

/** "fork of Fix retry, inferred: its first 3 messages equal …" */
export const edgeSentence = (edge: Edge, parent: FamilySession | undefined): string =>
  `${edgeOf[edge.kind]} ${parent?.known ? nameOf(parent) : 'a session that no store has'}, ${edge.certainty}: ${visibleControls(edge.evidence)}`;

/** All that a card shows, as one sentence for a screen reader. */
export function spoken(item: MapItem, hits: number, inFold: number): string {
  if (item.kind === 'branch') return `branch ${item.branch.id} of this session, ${countOf(item.branch.count, 'message')} of its own`;
  const { session, edges, subagents, folded, hidden } = item;
  return [
    nameOf(session), agentNames[session.agent], edges[0] ? `${edges[0].kind}${edges[0].certainty === 'inferred' ? ', inferred' : ''}` : '',
    session.created === null ? '' : formatExact(session.created), session.counts ? countOf(session.counts.messages, 'message') : '', ...conditionsOf(session),
    hits > 0 ? countOf(hits, 'hit') : '', subagents === 0 ? '' : folded ? `${countOf(hidden.length, 'session')} folded${inFold > 0 ? ` with ${countOf(inFold, 'hit')}` : ''}` : countOf(subagents, 'subagent'),
  ].filter(Boolean).join(', ');
}
