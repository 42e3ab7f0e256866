import { describe, expect, test } from 'vitest';
import type { SessionId } from '@shared/model';
import { expectedOf, type FixtureFamily, fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { Shelf } from '../acceptance';
import { faultOf } from './faults';
import { opencode } from './index';

async function within<T>(family: FixtureFamily, name: string, check: (shelf: Shelf) => T): Promise<T> {
  const fixture = openFixture(family, name);
  const shelf = new Shelf(fixture.home, opencode);
  try {
    await shelf.pass();
    return check(shelf);
  } finally {
    shelf.dispose();
    fixture.dispose();
  }
}

/** Session title → class and kind of the part it stands on. */
const byTitle = (shelf: Shelf): Record<string, string[]> =>
  Object.fromEntries(shelf.content().map(({ detail, parts }) => [detail.summary.title, detail.diagnoses.map(({ class: kind, index }) => `${kind} on ${parts[index]?.kind}`)]));

/** What each session of the two homes must be found to have; `error_sessions` of the ground truth in our words. */
const broken: Record<string, string[]> = {
  'tool-result-missing': ['tool_result_missing on notice'],
  'thinking-order': ['thinking_block_order on notice'],
  'thinking-disabled': ['thinking_disabled_violation on notice'],
  'thinking-modified': ['thinking_block_modified on notice'],
  prefill: ['assistant_prefill_unsupported on notice'],
  'empty-content': ['empty_content on notice'],
  'context-limit': ['context_limit on compaction'],
  'unavailable-tool-error': ['unavailable_tool on notice'],
  auth: [],
  'no-such-tool': [],
  'bad-tool-args': [],
  'reasoning-only': ['empty_reply on reasoning'],
  'empty-reply': ['empty_reply on step'],
  'aborted-tool': ['aborted on notice'],
  'aborted-text': ['aborted on notice'],
  'killed-tool': ['interrupted_tool on tool'],
  'killed-text': ['interrupted_message on text'],
};

describe.each(['errors', 'errors-stripped'])('every broken session of %s is told by its class, on the part concerned', (name) => {
  test('all of them', () => within('omo', name, (shelf) => expect(byTitle(shelf)).toEqual(broken)));

  test('the ground truth knows the same sessions', () => {
    const { error_sessions: truth } = expectedOf('omo', name) as { error_sessions: Record<string, { expect: string | null }> };
    expect(Object.keys(truth).sort()).toEqual(Object.keys(broken).sort());
    for (const [title, { expect: word }] of Object.entries(truth)) {
      if (word !== null && /^[a-z]+(_[a-z]+)+/.test(word)) expect([title, broken[title]?.[0]?.split(' ')[0]]).toEqual([title, /^[a-z_]+/.exec(word)?.[0]]);
    }
  });
});

test('a diagnosis says what is wrong, what shows it and what would help', () =>
  within('omo', 'errors', (shelf) => {
    const { detail, parts, outline } = shelf.session('opencode/ses_dd80235bbffeT7eiAL1SQGpjRN' as SessionId);
    expect(detail.diagnoses).toEqual([{
      class: 'tool_result_missing', index: 10, part: 'opencode/ses_dd80235bbffeT7eiAL1SQGpjRN#msg_227fdddf4001Q6viPLcVs0gk09',
      text: 'The provider refused the request: a tool call in the history has no result.',
      evidence: 'The request of msg_227fdddf4001Q6viPLcVs0gk09 failed with APIError: messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01AbCdEf. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
      help: 'A fork from before that call; the same prompt sent again fails again.',
    }]);
    const { part: _, index: __, ...diagnosis } = detail.diagnoses[0] ?? { part: '', index: 0 };
    expect(parts[10]?.diagnoses).toEqual([diagnosis]);
    expect(outline?.diagnosed).toEqual([10]);
    expect(parts.filter(({ diagnoses }) => diagnoses.length > 0)).toHaveLength(1);
  }));

/** All diagnoses of the other homes, as `session part: class`. */
const others: Record<string, string[]> = {
  'omo/boulder-active': ['ses_dd82c0d8cffeihE4xlmQR4hGVw prt_227d3fc1f001eXkIgfvnkTM9Jr: interrupted_message'],
  'omo/legacy-sisyphus': ['ses_dd81b0589ffeOOp4xACCm2WuZG prt_227e504fc001A6d4ZuaYFGbSmC: interrupted_message'],
  'omo/migrated-omo': ['ses_dd81b0589ffeOOp4xACCm2WuZG prt_227e504fc001A6d4ZuaYFGbSmC: interrupted_message'],
  'omo/stopped': ['ses_dd81fa8b6ffeU0oa45Q5edTu0u prt_227e0ccc9001mCdp2SyNTWQWrw: interrupted_message'],
  'omo/team': ['ses_dd7fa06a5ffe00wnkd8g10ieVI prt_2280600c50016elouG8V8iXHzh: interrupted_message'],
  'omo/works': ['ses_dd81fa8b6ffeU0oa45Q5edTu0u prt_227e0ccc9001mCdp2SyNTWQWrw: interrupted_message'],
  'opencode/v11-json': ['ses_439f7877effepokJRqr9n7Ebc1 msg_bc6087890001QPyjk0ilP3uMfW: aborted'],
  'opencode/v115-mid': ['ses_168fd3336ffeEGaNOeLwcHa12c msg_e9702cd36001pCQrogNqtC6UKF: aborted'],
  'opencode/v118-compaction': [
    'ses_e5a88f5d8ffe1ZsVkLgg62norn prt_1aa9d5e8d001xNUwCVa6mzsnXj: context_limit', 'ses_e5a88f5d8ffe1ZsVkLgg62norn prt_1aa9d61b2001H1FVEnnnKTE0A2: context_limit',
  ],
  'opencode/v118-from-v12': ['ses_439f7877effepokJRqr9n7Ebc1 msg_bc6087890001QPyjk0ilP3uMfW: aborted'],
  'opencode/v118-live': ['ses_e2046d86bffefiDWPWhtk43sLh prt_1dfb92adb001HpfHsn8k9orf2S: interrupted_tool', 'ses_e2046dda5ffeMOAkyT6bvMddtO prt_1dfb92689001xc8oSm8Ru6HDsn: interrupted_tool'],
  'opencode/v118-main': ['ses_e0be491d6ffex0wkY6A27udrtD msg_1f41b6e8c0018LrqfQSbPsPmM8: aborted', 'ses_e0be491d6ffex0wkY6A27udrtD msg_1f41b72f6001dpj2s3toMdlfie: aborted'],
  'opencode/v12-sqlite': ['ses_385b8f405ffeZe6SSWAf4Y0TbS msg_c7a470c0c001ZAtBfmAM5Sa3CU: aborted'],
  'field/oc-stuck-tools': [
    'ses_e6483597fffeFbY8NwcUeb4c0w prt_19b7caacc007vLhwx1sHcgiAit: interrupted_tool', 'ses_e6483597fffeFbY8NwcUeb4c0w prt_19b7caacd008eraHI74UseU5Mp: interrupted_tool',
    'ses_e6483597fffeFbY8NwcUeb4c0w prt_19b7cab6200ajbLZuxHWF2J046: interrupted_tool',
  ],
};

test.each([
  ...fixtureNames('omo').filter((name) => !name.startsWith('errors')).map((name) => ({ family: 'omo' as const, name })),
  ...fixtureNames('opencode').map((name) => ({ family: 'opencode' as const, name })),
  ...fixtureNames('field').filter((name) => name.startsWith('oc-')).map((name) => ({ family: 'field' as const, name })),
])('$family/$name has no other diagnosis than those that are so', ({ family, name }) =>
  within(family, name, (shelf) => {
    const found = shelf.content().flatMap(({ detail }) => detail.diagnoses.map(({ class: kind, part }) => `${part.replace(/^opencode\//, '').replace('#', ' ')}: ${kind}`));
    expect(found).toEqual(others[`${family}/${name}`] ?? []);
  }));

test.each([
  ['prompt is too long: 213462 tokens > 200000 maximum', 'context_limit'],
  ['this model’s maximum is exceeded: context_length_exceeded', 'context_limit'],
  ['`thinking` blocks: the final block cannot be thinking', 'thinking_block_order'],
  ['NoSuchToolError: dummy_tool', 'unavailable_tool'],
  ['invalid x-api-key', null],
  ['a thinking model is expected', null],
])('the words %j are %s', (message, kind) => expect(faultOf({ name: 'APIError', data: { message } })?.class ?? null).toBe(kind));

test('an error that is no object, or as long as a page, is looked at all the same', () => {
  expect(faultOf('non-empty content')).toEqual({ class: 'empty_content', said: 'non-empty content' });
  expect(faultOf({ data: { message: `${'x'.repeat(50_000)} non-empty content` } })).toBe(null);
  expect(faultOf(null)).toBe(null);
});
