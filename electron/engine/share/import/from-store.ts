import type { KnownSources, SessionStore, StoreLocation } from '../../stores/store';
import type { TakenIn, TakenStream } from './taken-in';

const nothingKnown: KnownSources = { get: () => undefined, keys: () => [] };

/** What the agent's own reader makes of files that were laid out as its store has them: streams, and what could not be read. */
export function streamsOf(store: SessionStore, location: StoreLocation, sessionsOf: (key: string) => string[]): { streams: TakenStream[]; damage: TakenIn['damage']; heads: { nativeId: string; title: string | null }[]; problem: string | null } {
  const survey = store.survey(location, nothingKnown);
  const damage: TakenIn['damage'] = survey.damage.map(({ place, reason }) => ({ place, reason, source: null }));
  const streams = survey.changes.map((change): TakenStream => ({
    key: change.key, role: 'records', sessions: sessionsOf(change.key),
    *content() {
      for (const { at, bytes } of store.read(location, change, undefined)) if (bytes.length > 0) yield { at, bytes };
    },
  }));
  for (const change of survey.changes) for (const batch of store.read(location, change, undefined)) for (const { place, reason } of batch.damage) damage.push({ place, reason, source: change.key });
  return { streams, damage, heads: survey.heads.map(({ native, title }) => ({ nativeId: native, title })), problem: survey.problem };
}
