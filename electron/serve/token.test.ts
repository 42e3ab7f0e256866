import { expect, test } from 'vitest';
import { cookieName, createToken, readCookie, setCookie } from './token';

test('a token is 24 random bytes and matches only itself', () => {
  const token = createToken();
  expect(Buffer.from(token.value, 'base64url')).toHaveLength(24);
  expect(createToken().value).not.toBe(token.value);
  expect(token.matches(token.value)).toBe(true);
  expect(token.matches(`${token.value}x`)).toBe(false);
  expect(token.matches(token.value.slice(1))).toBe(false);
  expect(token.matches('é'.repeat(16))).toBe(false);
  expect(token.matches('')).toBe(false);
  expect(token.matches(undefined)).toBe(false);
});

test('the cookie is named after the port and read back by its whole name', () => {
  const token = createToken();
  expect(setCookie(cookieName(7777), token)).toBe(`retrace-7777=${token.value}; HttpOnly; SameSite=Strict; Path=/`);
  expect(readCookie('a=b; xretrace-7777=no; retrace-7777=yes;retrace-777=no', 'retrace-7777')).toBe('yes');
  expect(readCookie('retrace-77777=no', 'retrace-7777')).toBeUndefined();
  expect(readCookie(undefined, 'retrace-7777')).toBeUndefined();
});
