import { describe, expect, it } from 'vitest';
import { isPlain, parseMarkdown } from './markdown';

describe('hostile markdown, before it is cleaned', () => {
  it('shows HTML as text', () => {
    expect(parseMarkdown('<script>alert(1)</script><img src=x onerror=alert(1)>')).toBe('<p>&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;</p>\n');
  });
  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd', '../secret', '/etc/passwd', '//evil.example', 'java&#115;cript:alert(1)', 'app://retrace/x'])('makes no link of %s', (address) => {
    expect(parseMarkdown(`[a](${address})`)).not.toContain('<a');
    expect(parseMarkdown(`<${address}>`)).not.toContain('<a');
  });
  it('opens web and mail links outside', () => {
    expect(parseMarkdown('[a](https://example.org/x)')).toBe('<p><a href="https://example.org/x" target="_blank" rel="noreferrer" title="https://example.org/x">a</a></p>\n');
    expect(parseMarkdown('see https://example.org/y.')).toContain('<a href="https://example.org/y" target="_blank" rel="noreferrer"');
    expect(parseMarkdown('<mailto:a@b.example>')).toContain('href="mailto:a@b.example"');
  });
  it('makes no link of code-like words', () => {
    expect(parseMarkdown('call a.b() in config.io')).toBe('<p>call a.b() in config.io</p>\n');
  });
  it('names pictures instead of fetching them', () => {
    expect(parseMarkdown('![cat](https://evil.example/cat.png)')).toBe('<p><span class="blocked-image">picture not loaded: cat <code>https://evil.example/cat.png</code></span></p>\n');
    expect(parseMarkdown('![cat](data:image/png;base64,xx)')).not.toContain('<img');
  });
  it('escapes what a fence says of its language', () => {
    expect(parseMarkdown('```"><b>x\ncode\n```')).toBe('<pre><code>code\n</code></pre>');
    expect(parseMarkdown('```ts title="a"\n<b>\n```')).toBe('<pre data-language="ts"><code>&lt;b&gt;\n</code></pre>');
  });
  it('writes out what reorders text', () => {
    expect(parseMarkdown('a\u202Eb')).toBe('<p>a⟨U+202E⟩b</p>\n');
  });
});

it('shows deep nesting as plain text, since the parser would leave its inside out', () => {
  expect(isPlain(`${'>'.repeat(10_000)} deep`)).toBe(true);
  expect(isPlain(`${'> '.repeat(10_000)} deep`)).toBe(true);
  expect(isPlain('> quoted\n> > twice')).toBe(false);
  expect(isPlain('x'.repeat(200_001))).toBe(true);
});
it('is fast on what repeats', () => {
  for (const bomb of ['[', '![', '**a ', '`', '<', '[a](', '_a_', '~~', '\\', '&#', '|a', '- ', 'http://', '*'].map((piece) => piece.repeat(Math.floor(100_000 / piece.length)))) {
    const before = performance.now();
    parseMarkdown(bomb);
    expect(performance.now() - before, bomb.slice(0, 5)).toBeLessThan(3_000);
  }
});
