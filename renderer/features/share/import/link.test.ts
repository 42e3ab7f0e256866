import { expect, test } from 'vitest';
import { importAsked } from './link';

test('a link asks for the import of a shared session', () => {
  expect(importAsked('#/import?url=https%3A%2F%2Fopncd.ai%2Fshare%2FmYk3pQ2x')).toEqual({ url: 'https://opncd.ai/share/mYk3pQ2x' });
  // As systems write it that put a slash behind the host.
  expect(importAsked('#/import/?url=https://opncd.ai/share/mYk3pQ2x')).toEqual({ url: 'https://opncd.ai/share/mYk3pQ2x' });
  expect(importAsked('#/session/import')).toBeNull();
  expect(importAsked('#/importance?url=x')).toBeNull();
});

test.each([
  ['#/import', 'The link names nothing to import: it has no url.'],
  ['#/import?url=', 'The link names nothing to import: it has no url.'],
  ['#/import?url=%2Fetc%2Fpasswd', 'The link names something that is no web address. Only shared links are imported by a link.'],
  ['#/import?url=file:///etc/passwd', 'The link names something that is no web address. Only shared links are imported by a link.'],
  ['#/import?url=upload:abc', 'The link names something that is no web address. Only shared links are imported by a link.'],
  ['#/import?url=javascript:alert(1)', 'The link names something that is no web address. Only shared links are imported by a link.'],
  [`#/import?url=https://opncd.ai/${'a'.repeat(2_100)}`, 'The link names an address longer than 2,048 characters.'],
])('%.50s asks for nothing', (hash, refused) => {
  expect(importAsked(hash)).toEqual({ refused });
});
