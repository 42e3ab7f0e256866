import type { HLJSApi, LanguageFn } from 'highlight.js';
import type {} from 'highlight.js/lib/common';

/** Above this many characters code stays plain: colouring would hold up the page. */
export const highlightLimit = 50_000;

type Loader = () => Promise<{ default: LanguageFn }>;

/** Each language is a file of its own, loaded when it is first seen. */
const loaders: Record<string, Loader> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  elixir: () => import('highlight.js/lib/languages/elixir'),
  go: () => import('highlight.js/lib/languages/go'),
  graphql: () => import('highlight.js/lib/languages/graphql'),
  haskell: () => import('highlight.js/lib/languages/haskell'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  nix: () => import('highlight.js/lib/languages/nix'),
  perl: () => import('highlight.js/lib/languages/perl'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  r: () => import('highlight.js/lib/languages/r'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  scala: () => import('highlight.js/lib/languages/scala'),
  scss: () => import('highlight.js/lib/languages/scss'),
  shell: () => import('highlight.js/lib/languages/shell'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

/** Other names in fences, and file endings. */
const others: Record<string, string> = {
  sh: 'bash', zsh: 'bash', fish: 'bash', h: 'c', cc: 'cpp', hpp: 'cpp', cxx: 'cpp', cs: 'csharp', patch: 'diff', docker: 'dockerfile', ex: 'elixir', exs: 'elixir', golang: 'go', gql: 'graphql', hs: 'haskell',
  toml: 'ini', conf: 'ini', cfg: 'ini', js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', json5: 'json', jsonc: 'json', jsonl: 'json', kt: 'kotlin', kts: 'kotlin', mk: 'makefile', make: 'makefile', md: 'markdown',
  mdx: 'markdown', pl: 'perl', py: 'python', rb: 'ruby', rs: 'rust', sass: 'scss', less: 'scss', console: 'shell', 'shell-session': 'shell', postgresql: 'sql', ts: 'typescript', tsx: 'typescript', mts: 'typescript', cts: 'typescript',
  html: 'xml', svg: 'xml', vue: 'xml', svelte: 'xml', plist: 'xml', yml: 'yaml',
};

/** The language a fence or a file ending names, if there is a file for it. */
export function languageOf(name: string): string | null {
  const lower = name.toLowerCase();
  const language = others[lower] ?? lower;
  return Object.hasOwn(loaders, language) ? language : null;
}

/** By the ending of a path. */
export function languageOfPath(path: string): string | null {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  if (/^(docker|make)file$/i.test(name)) return languageOf(name);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? null : languageOf(name.slice(dot + 1));
}

let core: Promise<HLJSApi> | undefined;
const registered = new Map<string, Promise<void>>();

async function withLanguage(language: string): Promise<HLJSApi> {
  core ??= import('highlight.js/lib/core').then((module) => module.default);
  const hljs = await core;
  let ready = registered.get(language);
  if (!ready) {
    ready = loaders[language]?.().then((module) => hljs.registerLanguage(language, module.default)) ?? Promise.resolve();
    registered.set(language, ready);
  }
  await ready;
  return hljs;
}

/** HTML of coloured code: the library escapes the text itself and adds only `<span class="hljs-…">`. */
export async function highlighted(code: string, language: string): Promise<string> {
  const hljs = await withLanguage(language);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

const waiting = new WeakMap<Element, string>();
let observer: IntersectionObserver | undefined;

/** Colours a `<code>` element when it comes into view and the page is idle. */
export function highlightWhenSeen(element: Element, language: string): () => void {
  observer ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer?.unobserve(target);
      requestIdleCallback(() => void colour(target).catch(stayPlain), { timeout: 500 });
    }
  });
  waiting.set(element, language);
  observer.observe(element);
  return () => observer?.unobserve(element);
}

/** Colours are a help, not content: without them the code stands as it is. */
function stayPlain(error: unknown): void {
  console.warn('Code could not be coloured.', error);
}

async function colour(element: Element): Promise<void> {
  const language = waiting.get(element);
  const code = element.textContent ?? '';
  if (!language || code.length > highlightLimit || !element.isConnected) return;
  const html = await highlighted(code, language);
  if (element.isConnected && element.textContent === code) element.innerHTML = html;
}
