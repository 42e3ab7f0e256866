import { expect, it } from 'vitest';
import { visibleControls } from './controls';

it('writes out what reorders text', () => {
  expect(visibleControls('invoice\u202Excod.exe')).toBe('invoice⟨U+202E⟩xcod.exe');
  expect(visibleControls('a\u2066b\u2069c\u200Fd')).toBe('a⟨U+2066⟩b⟨U+2069⟩c⟨U+200F⟩d');
});
it('writes out what a terminal would obey, and leaves lines and tabs', () => {
  expect(visibleControls('a\u001b[31mred\u0007\n\tb\r\n')).toBe('a⟨U+001B⟩[31mred⟨U+0007⟩\n\tb\r\n');
});
it('leaves scripts and emoji alone', () => {
  expect(visibleControls('שלום 👩‍💻 naïve')).toBe('שלום 👩‍💻 naïve');
});
