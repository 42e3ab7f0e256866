import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  resolve: { alias: { '@shared': resolve(import.meta.dirname, 'shared') } },
  test: {
    // The tests with the real agents are run by `npm run test:interop` only: they install what they test.
    include: mode === 'interop' ? ['e2e/interop/*.test.ts'] : ['{electron,shared,renderer,e2e}/**/*.test.ts'],
    exclude: mode === 'interop' ? [] : ['e2e/fixtures/**', 'e2e/interop/*.test.ts'],
    globalSetup: mode === 'interop' ? ['e2e/interop/install.ts'] : [],
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    // Files share what a worker has loaded, which spares a third of the processor's time: a test puts back what it changes of the process.
    isolate: false,
    // Writes flush to the disk: where that is slow a test waits longer than it works.
    testTimeout: mode === 'interop' ? 600_000 : 60_000,
    ...(mode === 'interop' && { hookTimeout: 600_000, reporters: ['verbose'] }),
    // `npm run test:slow`: tests that can be run larger look at this.
    env: mode === 'slow' ? { RETRACE_SLOW: '1' } : {},
  },
}));
