import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  globalSetup: './e2e/scripts/built.mjs',
  // A cold start on two busy cores takes seconds; a test that waits for something names its own limit.
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // Windows share one display and the keyboard's focus.
  workers: 1,
  forbidOnly: true,
  reporter: [['list']],
  outputDir: 'test-results/e2e',
});
