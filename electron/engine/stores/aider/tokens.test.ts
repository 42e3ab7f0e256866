import { expect, test } from 'vitest';
import { usageOf } from './tokens';

const tokens = (input: number, output: number, cacheRead = 0, cacheWrite = 0) => ({ input, output, reasoning: 0, cacheRead, cacheWrite });

test.each([
  ['Tokens: 900 sent, 120 received. Cost: $0.0012 message, $0.0024 session.', tokens(900, 120), false],
  ['Tokens: 1.2k sent, 80 received.', tokens(1_200, 80), true],
  ['Tokens: 12k sent, 3k cache write, 2k cache hit, 412 received. Cost: $0.01 message, $0.01 session.', tokens(7_000, 412, 2_000, 3_000), true],
  ['Tokens: 1,234 sent, 56 received.', tokens(1_234, 56), false],
  ['Tokens: 500 sent, 600 cache hit, 5 received.', tokens(0, 5, 600), false],
])('%s', (text, expected, rounded) => {
  expect(usageOf(text)).toEqual({ tokens: expected, rounded });
});

test('other words are no figures', () => {
  expect(usageOf('Tokens: many sent, few received.')).toBeNull();
  expect(usageOf('Added 0.1k tokens of output to the chat.')).toBeNull();
});
