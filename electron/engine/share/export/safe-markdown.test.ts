import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { codeSpan, fenced, plainLine, safeMarkdown } from './safe-markdown';

/** Another reader, that takes everything. */
const reader = new MarkdownIt({ html: true, linkify: false });
reader.validateLink = () => true;

test.each([
  ['Words *stay* as `they` are, with <https://example.org> and [a link](https://example.org).', 'Words *stay* as `they` are, with <https://example.org> and [a link](https://example.org).'],
  ['# Title', '### Title'],
  ['See <script>alert(1)</script> and `<b>`', 'See \\<script>alert(1)\\</script> and `<b>`'],
  ['<img src=x onerror=alert(1)>', '\\<img src=x onerror=alert(1)>'],
  ['![pixel](https://evil.example/p.png)', '!\\[pixel\\](https://evil.example/p.png)'],
  ['[x](javascript:alert(1))', '[x\\](javascript:alert(1))'],
  ['[x](../../settings.json)', '[x\\](../../settings.json)'],
  ['use Array<string> and <skills_instructions>', 'use Array\\<string> and \\<skills_instructions>'],
  ['[word]: https://evil.example\n\nwords', '\\[word]: https://evil.example\n\nwords'],
  ['a\u202Eb \u001b[31mred', 'a⟨U+202E⟩b ⟨U+001B⟩[31mred'],
  ['```js\nconst a = "<b>";\n```', '```js\nconst a = "<b>";\n```'],
])('%j', (text, expected) => {
  expect(safeMarkdown(text)).toBe(expected);
});

const hostile = [
  '<!-- \n\n# after -->\n\n<div>\n\n*x*\n</div>', '<style>body{display:none}</style>', '<svg onload=alert(1)><a xlink:href="javascript:x">x</a></svg>', '```\nopen', '~~~\n```\n<b>', '> ```\n> open',
  '- a\n\n      <b>x</b>\n\n  <b>y</b>', '[a]: javascript:x\n[a]', '> [a]: javascript:x\n\n[a]', '<a href="https://x" onclick="y">z</a>', '[x][y]\n\n[y]: data:text/html,x', '`<b>` <b>`</b>', '\\`<b>`<i>x</i>',
  '![a][b]\n\n[b]: https://evil.example/x', '<?php x ?>', '<![CDATA[ x ]]>', '<\u0000script>', `${'['.repeat(20_000)}`, `${'>'.repeat(10_000)} deep`, '*'.repeat(30_000), '<a\n\n<b\n', '``` <b>\nx', '[x](<javascript:alert(1)>)', '[x](JaVaScRiPt:1)', '[x](java&#115;cript:1)',
  '| a | <b> |\n|---|---|\n| ![x](y) | [z](vbscript:1) |',
];

test.each(hostile)('nothing of %j is active, and what follows stands by itself', (text) => {
  const began = performance.now();
  const html = reader.render(`${safeMarkdown(text)}\n\n## Next\n\nafter [word] it`);
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(html).not.toMatch(/<(?:script|img|iframe|svg|style|div|b|i|a)\b(?! href="https?:)/i);
  expect(html).toContain('<h2>Next</h2>\n<p>after [word] it</p>');
});

test('a block cannot be left by what stands in it, nor a line', () => {
  expect(fenced('a\n````\nb', 'js')).toBe('`````js\na\n````\nb\n`````');
  expect(fenced('x', 'js onload=')).toBe('```\nx\n```');
  expect(plainLine('# *a* <b> | ![x](y)\n`c`')).toBe('\\# \\*a\\* \\<b\\> \\| \\!\\[x\\](y) \\`c\\`');
  expect(plainLine('1. a')).toBe('\\1. a');
  expect(codeSpan('a `b` ``c``')).toBe('``` a `b` ``c`` ```');
});
