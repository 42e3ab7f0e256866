import { expect, test } from 'vitest';
import { codeBlock, diffHtml, proseHtml, text } from './html-text';

test.each([
  '<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '[x](javascript:alert(1))', '[x](data:text/html,x)', '![x](https://evil.example/p.png)', '![x](data:image/svg+xml,<svg onload=alert(1)>)', '<svg><a xlink:href="javascript:x">',
  '```"><img src=x onerror=alert(1)>\ncode\n```', '[x](java&#115;cript:1)', '<style>*{}</style>', '[r](../../x)', `${'>'.repeat(10_000)} deep`, '['.repeat(20_000), 'a"onmouseover="alert(1)',
])('%j becomes text', (hostile) => {
  const began = performance.now();
  for (const html of [proseHtml(hostile), codeBlock(hostile, hostile), codeBlock(hostile, 'xml'), diffHtml(`+${hostile}`), `<p>${text(hostile)}</p>`]) {
    expect(html).not.toMatch(/<(?!\/?(?:div|p|pre|code|span|blockquote|h[3-6]|em|strong|ul|ol|li|br|hr|a)[ >\n])/);
    expect(html).not.toMatch(/<a (?!href="https?:)/);
    expect(html).not.toMatch(/<[^>]*\son\w+=/);
    expect(html).not.toMatch(/\bsrc=["']/);
  }
  expect(performance.now() - began).toBeLessThan(2_000);
});

test('what reorders or commands is written out', () => {
  expect(text('invoice\u202Excod.exe \u001b[31m')).toBe('invoice⟨U+202E⟩xcod.exe ⟨U+001B⟩[31m');
});

test('code is coloured, lines of a difference are told apart', () => {
  expect(codeBlock('const a = 1;', 'js')).toBe('<pre tabindex="0"><code><span class="hljs-keyword">const</span> a = <span class="hljs-number">1</span>;</code></pre>\n');
  expect(diffHtml('@@ -1 +1 @@\n-a\n+<b>\n c')).toBe(
    '<pre class="diff" tabindex="0"><code><span class="meta">@@ -1 +1 @@</span>\n<span class="removed">-a</span>\n<span class="added">+&lt;b&gt;</span>\n c</code></pre>\n',
  );
});
