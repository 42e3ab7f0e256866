import { expect, test } from 'vitest';
import { externalAddress } from './external-address';

test('web and mail addresses may leave the app', () => {
  expect(externalAddress('https://example.org/a?b#c')).toBe('https://example.org/a?b#c');
  expect(externalAddress('HTTP://Example.org')).toBe('http://example.org/');
  expect(externalAddress('mailto:a@example.org')).toBe('mailto:a@example.org');
});

test.each([
  'file:///etc/passwd',
  'app://retrace/index.html',
  'retrace://session/x',
  'javascript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'smb://host/share',
  'ms-msdt:/id',
  ' \tjavascript:alert(1)',
  'https://bank.example@evil.example/',
  '/relative',
  '',
])('%j stays here', (address) => {
  expect(externalAddress(address)).toBeNull();
});
