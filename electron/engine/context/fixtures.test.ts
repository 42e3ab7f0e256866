import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { laterCode } from '@shared/contract';
import { describe, expect, test } from 'vitest';
import { type FixtureFamily, fixtureNames } from '../../../e2e/fixtures';
import { listed, openHome } from './home.test-support';

const families: FixtureFamily[] = ['opencode', 'claude-code'];

/** `RETRACE_EXPECT=write` writes the lists anew; read the difference before it is kept. */
const writes = process.env['RETRACE_EXPECT'] === 'write';

describe.each(families)('%s: what would be sent, session by session', (family) => {
  test.each(fixtureNames(family))('%s', async (name) => {
    const home = await openHome(family, name);
    try {
      const lines: string[] = [];
      for (const { id, nativeId, title } of home.sessions.toSorted((a, b) => (a.nativeId < b.nativeId ? -1 : 1))) {
        const parts = await home.parts(id);
        const context = await home.context(id);
        lines.push(`# ${nativeId} ${title ?? ''}`.trimEnd(), ...listed(context, parts), ...context.notes.map((note) => `! ${note}`), '');

        // Settling and the context are one truth: what is said to be seen is what is sent, and no part has two states.
        const states = await home.ask('context.states', { session: id });
        if (states === null || 'refused' in states) throw new Error('no states');
        expect(states.seen).toBe(parts.map(({ seen }) => (seen ? '1' : '0')).join(''));
        expect(states.states).toBe((await home.ask('session.outline', { session: id }))?.states);
        expect(states.states).not.toContain(laterCode);
      }
      const file = join(import.meta.dirname, 'expected', `${family}-${name}.txt`);
      if (writes) writeFileSync(file, `${lines.join('\n')}`);
      expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(lines.join('\n'));
    } finally {
      await home.close();
    }
  });
});
