/** The look of an exported page: the colours, spaces and sizes of renderer/ui/tokens.css, of which html-style.test.ts sees that they are the same. */
export const style = `:root {
  color-scheme: light dark;
  --pane: light-dark(#f5f5f7, #17181b);
  --page: light-dark(#ffffff, #1d1e22);
  --line: light-dark(#dfe0e4, #32343a);
  --sunken: light-dark(#f5f6f8, #17181b);
  --prompt: light-dark(#f1f4fd, #232838);
  --text: light-dark(#1c1d20, #e5e6ea);
  --text-soft: light-dark(#585b65, #a5a8b2);
  --accent: light-dark(#2f54c7, #8fa9ff);
  --danger: light-dark(#b1251c, #ff938a);
  --attention: light-dark(#7d5200, #e3b45a);
  --diff-added: light-dark(#e2f3ec, #173029);
  --diff-removed: light-dark(#fdeae1, #3b241d);
  --code-keyword: light-dark(#7a2f9c, #d2a1ee);
  --code-string: light-dark(#1f6b3a, #8fd3a5);
  --code-number: light-dark(#8a4b00, #f0b26b);
  --code-comment: light-dark(#5d616c, #9b9fab);
  --code-title: light-dark(#2a4fb8, #9db5ff);
  --code-type: light-dark(#0a6480, #70c8e4);
  --face: system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'Liberation Sans', sans-serif;
  --mono: 'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 13px/1.45 var(--face); }
main { max-width: 100ch; margin: 0 auto; padding: 24px 16px 64px; }
h1 { margin: 0 0 12px; font-size: 20px; line-height: 1.3; overflow-wrap: anywhere; }
h1.subagent { margin-top: 48px; padding-top: 24px; border-top: 2px solid var(--line); }
h2 { margin: 0 0 4px; font-size: 13px; font-weight: 600; }
h2 time { color: var(--text-soft); font-weight: 400; }
h3 { margin: 8px 0 4px; color: var(--text-soft); font-size: 12px; font-weight: 600; }
a { color: var(--accent); }
code, pre { font-family: var(--mono); font-size: 12px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 0; }
.facts dt { color: var(--text-soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.notes { margin: 12px 0; padding: 8px 12px 8px 28px; border-radius: 8px; background: var(--sunken); }
.message { margin-top: 24px; padding-top: 12px; border-top: 1px solid var(--line); }
.part + .part { margin-top: 6px; }
.off-branch, .reverted, .compacted, .cleared, .hidden { border-left: 2px solid var(--line); padding-left: 10px; }
.state, .soft, .line { color: var(--text-soft); }
.state, .line { margin: 4px 0; }
.prompt { padding: 8px 12px; border-radius: 8px; background: var(--prompt); white-space: pre-wrap; overflow-wrap: anywhere; }
.prose { overflow-wrap: anywhere; }
.prose > :first-child { margin-top: 0; }
.prose p, .prose ul, .prose ol, .prose blockquote, .prose table { margin: 8px 0; }
.prose h3, .prose h4, .prose h5, .prose h6 { margin: 14px 0 0; color: var(--text); font-size: 13px; }
.prose blockquote { margin-inline: 0; padding-left: 12px; border-left: 2px solid var(--line); color: var(--text-soft); }
.prose code { padding: 1px 3px; border-radius: 3px; background: var(--sunken); }
.prose pre code { padding: 0; background: none; }
.prose table { display: block; overflow: auto; border-collapse: collapse; }
.prose th, .prose td { padding: 3px 8px; border: 1px solid var(--line); text-align: left; }
pre { margin: 4px 0 8px; overflow: auto; padding: 6px 8px; border-radius: 4px; background: var(--sunken); line-height: 1.5; tab-size: 4; max-height: 70vh; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff span { display: inline-block; width: 100%; }
.diff .added { background: var(--diff-added); }
.diff .removed { background: var(--diff-removed); }
.diff .meta { color: var(--text-soft); }
details { border-radius: 4px; }
summary { padding: 3px 0; cursor: pointer; overflow-wrap: anywhere; }
details > :not(summary) { margin-left: 16px; }
.failed > summary { color: var(--danger); }
.todos { margin: 4px 0; padding-left: 16px; list-style: none; }
.blocked { padding: 0 6px; border: 1px dashed var(--line); border-radius: 4px; color: var(--text-soft); }
img { max-width: 100%; max-height: 480px; border: 1px solid var(--line); border-radius: 4px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.hljs-keyword, .hljs-literal, .hljs-selector-tag { color: var(--code-keyword); }
.hljs-string, .hljs-regexp, .hljs-addition { color: var(--code-string); }
.hljs-number, .hljs-symbol, .hljs-attr { color: var(--code-number); }
.hljs-comment, .hljs-quote { color: var(--code-comment); }
.hljs-title, .hljs-section { color: var(--code-title); }
.hljs-type, .hljs-built_in, .hljs-class { color: var(--code-type); }
@media print { :root { color-scheme: light; } pre { max-height: none; } .message { break-inside: auto; } }
`;
