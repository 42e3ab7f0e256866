import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { style } from './html-style';

test('an exported page has the colours and type faces of the page', () => {
  const tokens = readFileSync(join(import.meta.dirname, '../../../../renderer/ui/tokens.css'), 'utf8');
  const own = [...style.matchAll(/^ {2}(--[\w-]+: .*;)$/gm)].map(([, token]) => token);
  expect(own.length).toBeGreaterThan(15);
  // On paper it is light, whatever the screen is.
  expect(style).toContain('@media print { :root { color-scheme: light; } ');
  expect(own.filter((token) => !tokens.includes(`  ${token}`))).toEqual([]);
  const used = new Set([...style.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
  expect([...used].filter((name) => !style.includes(`  ${name}: `))).toEqual([]);
});
