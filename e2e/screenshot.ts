import type { Page } from '@playwright/test';

const wanted = process.env['RETRACE_SCREENSHOTS'] === '1';
const sizes = [{ name: '', width: 1440, height: 900 }, { name: '-small', width: 1024, height: 700 }];

/**
 * Keeps what the page looks like, in both themes and both sizes it is drawn for, under `test-results/<name>…png`: for
 * people to look at (`RETRACE_SCREENSHOTS=1 npm run e2e`). Nothing compares them, so other runs spare the time.
 */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!wanted) return;
  const size = page.viewportSize();
  const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  for (const { name: end, ...viewport } of sizes) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `test-results/${name}${end}-${colorScheme}.png` });
    }
  }
  if (size) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
}
