import { countOfClass } from '../export/told';
import type { Agent } from '@shared/model';
import { indexBundle, streamPieces } from '../../stores/retrace/bundle-reader';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Takes in a Retrace bundle: its streams are the agent's records already. The file itself is what is kept. */
export function takeBundle(path: string): TakenIn | NotTaken {
  const index = indexBundle(path);
  if ('refused' in index) return notTaken(index.refused);
  const agents = new Set(index.streams.map(({ agent }) => agent));
  const [agent] = agents;
  if (agent === undefined || agent === 'retrace') return notTaken('The bundle holds no records.');
  if (agents.size > 1) return notTaken(`The bundle holds records of several agents (${[...agents].join(', ')}): it was not written by Retrace.`);
  const { header, sessions } = index;
  const root = nativeOf(header.root);
  const notes: string[] = [];
  if (header.scope && header.scope.kind !== 'whole') notes.push(`It is a part of the session: ${header.scope.kind === 'branch' ? 'one branch' : 'some turns'}.`);
  const masked = header.redaction?.masked ?? [];
  if (masked.length > 0) notes.push(`Values were masked before it was handed on: ${masked.map(({ class: name, findings }) => countOfClass(name, findings)).join(', ')}.`);
  return {
    kind: 'bundle', agent: agent satisfies Agent, root, title: sessions.find(({ id }) => id === header.root)?.title ?? null, sessions: sessions.map(({ nativeId, title }) => ({ nativeId, title: title ?? null })),
    streams: index.streams.map((stream) => ({ key: stream.key, role: stream.role, sessions: stream.sessions.map(nativeOf), content: () => streamPieces(path, stream) })),
    damage: index.damage.map(({ place, reason, source }) => ({ place, reason, source: source ?? null })), notes, bundle: path,
  };
}

const nativeOf = (session: string): string => session.slice(session.indexOf('/') + 1);
