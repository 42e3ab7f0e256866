import { expect, test } from 'vitest';
import { pageFile } from './page-file';

test('a request names a file below the page folder', () => {
  expect(pageFile('/')).toEqual({ segments: ['index.html'], type: 'text/html; charset=utf-8' });
  expect(pageFile('/assets/index-B_x1.js')).toEqual({ segments: ['assets', 'index-B_x1.js'], type: 'text/javascript; charset=utf-8' });
  expect(pageFile('/assets/mono.woff2')?.type).toBe('font/woff2');
  expect(pageFile('/assets/%69ndex.css')).toEqual({ segments: ['assets', 'index.css'], type: 'text/css; charset=utf-8' });
});

test.each([
  ['a parent folder', '/../main/index.js'],
  ['an encoded parent folder', '/%2e%2e/main/index.js'],
  ['an encoded slash', '/..%2fmain%2findex.js'],
  ['a backslash', '/..%5cmain%5cindex.js'],
  ['a drive', '/C:/index.js'],
  ['a NUL', '/index.js%00.html'],
  ['an empty segment', '//etc/index.js'],
  ['a broken escape', '/%E0%A4%A.js'],
  ['a hidden file', '/.built.json'],
  ['a folder', '/assets/'],
  ['a file without a type', '/LICENSE'],
  ['a type the page has none of', '/index.mjs.map'],
  ['a name the prototype knows', '/a.constructor'],
])('%s names none', (_what, pathname) => {
  expect(pageFile(pathname)).toBeNull();
});
