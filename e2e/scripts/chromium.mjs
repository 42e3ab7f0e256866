// Finds a Chromium for the tests in a browser.
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

/** @returns {string | undefined} its executable */
export function findChromium() {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', chromium.executablePath()];
  return places.find((path) => path && existsSync(path));
}
