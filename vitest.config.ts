import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  resolve: { alias: { '@shared': resolve(import.meta.dirname, 'shared') } },
  test: {
    include: ['{electron,shared,renderer,e2e}/**/*.test.ts'],
    exclude: ['e2e/fixtures/**'],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    testTimeout: 20_000,
    // `npm run test:slow`: tests that can be run larger look at this.
    env: mode === 'slow' ? { RETRACE_SLOW: '1' } : {},
  },
}));
