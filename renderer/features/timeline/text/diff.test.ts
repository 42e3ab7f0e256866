import { describe, expect, it } from 'vitest';
import { hasLines, parsePatch, sizeOf } from './diff';

describe('patches of the agents', () => {
  it('reads a unified diff with plain headers', () => {
    const [file] = parsePatch('--- a/src/up.ts\n+++ b/src/up.ts\n@@ -1,2 +1,3 @@\n const a = 1;\n-const b = 2;\n+const b = 3;\n+const c = 4;\n');
    expect([file?.newName, file?.addedLines, file?.deletedLines]).toEqual(['src/up.ts', 2, 1]);
  });
  it('reads the `Index:` form', () => {
    const files = parsePatch('Index: /home/dev/acme/a.js\n===================================================================\n--- /home/dev/acme/a.js\n+++ /home/dev/acme/a.js\n@@ -1,1 +1,1 @@\n-one\n+two\n');
    expect(hasLines(files)).toBe(true);
    expect([files[0]?.addedLines, files[0]?.deletedLines]).toEqual([1, 1]);
  });
  it('sees that nothing was understood', () => {
    expect(hasLines(parsePatch('*** Begin Patch\n*** Update File: a.js\n+x\n*** End Patch\n'))).toBe(false);
    expect(hasLines(parsePatch('--- a.js\n+++ a.js\n'))).toBe(false);
  });
});

describe('limits', () => {
  it('draws ordinary diffs at once', () => {
    expect(sizeOf('+a\n'.repeat(3_000))).toEqual({ ok: true });
  });
  it('explains what is too large, and whether it can be drawn at all', () => {
    expect(sizeOf('+a\n'.repeat(3_001))).toEqual({ ok: false, why: 'It has 3,001 lines.', drawable: true });
    expect(sizeOf(`+${'x'.repeat(6_000)}\n`)).toEqual({ ok: false, why: 'It has a line of 6,001 characters.', drawable: true });
    expect(sizeOf(`+${'x'.repeat(400)}\n`.repeat(1_000))).toEqual({ ok: false, why: 'It has 393 kB.', drawable: true });
    expect(sizeOf('+a\n'.repeat(50_000))).toMatchObject({ ok: false, drawable: false });
    expect(sizeOf(`+${'x'.repeat(200_000)}`)).toMatchObject({ ok: false, drawable: false });
  });
});
