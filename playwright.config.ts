import { defineConfig } from '@playwright/test';

/** Specifications that open a window. */
const windows = ['**/desktop.spec.ts', '**/desktop-import.spec.ts', '**/window-settings.spec.ts', '**/utility-process.spec.ts'];

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/scripts/built.mjs',
  // A cold start on two busy cores takes seconds; a test that waits for something names its own limit.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // A page waits for its engine half of the time; more at once than two cores carry would only time out.
  workers: 2,
  projects: [
    { name: 'page', testIgnore: windows },
    // Windows share one display and the keyboard's focus.
    { name: 'window', testMatch: windows, workers: 1 },
  ],
  forbidOnly: true,
  // Three programs wait for each other in every test: one that fails is tried once more, and `npm test` names it at its end.
  retries: 1,
  reporter: [['list']],
  outputDir: 'test-results/e2e',
});
