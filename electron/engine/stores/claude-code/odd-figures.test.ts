import { nativeId } from '@shared/model';
import { expect, test } from 'vitest';
import { tokensOf as requestTokens } from '../opencode/messages';
import { tokensOf } from './assistant-entry';
import { summarise } from './facts';
import { placeOf } from './places';
import { projectTranscript } from './transcript';

const session = '00000001-1111-4111-8111-111111111111';

function factsOf(times: string[]) {
  const source = `projects/-p/${session}.jsonl`;
  const lines = times.map((timestamp, n) => JSON.stringify({ type: 'user', uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}`, sessionId: session, timestamp, message: { role: 'user', content: 'hi' } }));
  const place = placeOf(source);
  if (!place) throw new Error('no place');
  const { evidence, records } = projectTranscript({ source, at: 0, bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), carry: null }, place);
  return { facts: summarise(nativeId(session), evidence.map(({ slot, data }) => ({ source, slot, data }))), records };
}

test('a count below zero is no count', () => {
  expect(tokensOf({ input_tokens: -5, cache_creation_input_tokens: -1, cache_read_input_tokens: 7, output_tokens: -2 })).toEqual({ input: 0, cacheWrite: 0, cacheRead: 7, output: 0, reasoning: 0 });
  expect(requestTokens({ input: -5, output: 3, reasoning: -1, cache: { read: -2, write: 4 } })).toEqual({ input: 0, output: 3, reasoning: 0, cacheRead: 0, cacheWrite: 4 });
});

test('times that cannot be true do not say when a session began or ended; the records keep them', () => {
  const { facts, records } = factsOf(['2999-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-03T00:00:00.000Z', '-000001-01-01T00:00:00.000Z']);
  expect([facts.created, facts.updated]).toEqual([Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 3)]);
  expect(facts.notices).toEqual([{ kind: 'time', text: '2 records have a time before 2000 or after 2099: they are not counted for when the session began and ended.' }]);
  expect(records[0]?.time).toBe(Date.UTC(2999, 0, 1));
});

test('times at the bounds', () => {
  expect(factsOf(['2000-01-01T00:00:00.000Z', '2099-12-31T23:59:59.999Z']).facts).toMatchObject({ created: Date.UTC(2000, 0, 1), updated: Date.UTC(2100, 0, 1) - 1, notices: [] });
  expect(factsOf(['1999-12-31T23:59:59.999Z']).facts).toMatchObject({ created: null, updated: null, notices: [{ text: '1 record has a time before 2000 or after 2099: it is not counted for when the session began and ended.' }] });
});
