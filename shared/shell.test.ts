import { expect, test } from 'vitest';
import { hashOfLink } from './shell';

test('a link of ours becomes a location hash', () => {
  expect(hashOfLink('retrace://session/claude-code-1%2Fabc/part/x')).toBe('#/session/claude-code-1%2Fabc/part/x');
  expect(hashOfLink('RETRACE://session/x/')).toBe('#/session/x');
});

test.each(['', 'retrace:', 'retrace://', 'https://example.org', 'retrace:session/x', 'retrace://a b', ' retrace://a', `retrace://${'a'.repeat(16_384)}`])(
  '%j is no link of ours',
  (link) => {
    expect(hashOfLink(link)).toBeNull();
  },
);
