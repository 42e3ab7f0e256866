import { expect, it } from 'vitest';
import { stripTerminal } from './ansi';

it('takes colours, cursor moves, titles and links out', () => {
  expect(stripTerminal('\u001b[1;31mfail\u001b[0m \u001b[2K\u009b32mok')).toBe('fail ok');
  expect(stripTerminal('\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\')).toBe('alink');
  expect(stripTerminal('\u001b(Bx\u001b7y')).toBe('xy');
});
it('keeps what a progress line showed last', () => {
  expect(stripTerminal('10 %\r50 %\rdone\nnext\r\nlast')).toBe('done\nnext\nlast');
});
it('leaves text without escapes as it is', () => {
  expect(stripTerminal('a[31m b\n\tc')).toBe('a[31m b\n\tc');
});
it('is not slow on a stray escape', () => {
  const text = `\u001b]${'x'.repeat(200_000)}${'\u001b]'.repeat(20_000)}`;
  const before = performance.now();
  expect(stripTerminal(text).length).toBeGreaterThan(100_000);
  expect(performance.now() - before).toBeLessThan(2_000);
});
