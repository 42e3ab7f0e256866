import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type * as Axe from 'axe-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Only what is wrong is gathered and sent over: that halves the time a look takes. */
const lean = { resultTypes: ['violations'], preload: false, iframes: false } satisfies Axe.RunOptions;
const colours = { ...lean, runOnly: { type: 'rule', values: ['color-contrast'] } } satisfies Axe.RunOptions;

/**
 * Faults that axe calls serious or critical, each with the elements it means: of everything in the theme that is shown,
 * and of the colours in the other one. `moderate` tells the lesser ones as well, but for the handles between panes, which
 * belong to no landmark.
 */
export async function faults(page: Page, { moderate = false } = {}): Promise<string[]> {
  const violations = [...(await look(page, lean, moderate)), ...(await inOtherTheme(page, () => look(page, colours, moderate)))];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical' || (moderate && impact === 'moderate'))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`));
}

async function look(page: Page, options: Axe.RunOptions, apart: boolean): Promise<Axe.Result[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(
    async ([given, exclude]) => (await (window as unknown as { axe: typeof Axe }).axe.run({ exclude }, given)).violations,
    [options, apart ? ['.separator'] : []] as const,
  );
}

/** The page as a person sees it whose system has the other theme, and then as before. */
async function inOtherTheme<T>(page: Page, act: () => Promise<T>): Promise<T> {
  const dark = await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches);
  await page.emulateMedia({ colorScheme: dark ? 'light' : 'dark' });
  try {
    return await act();
  } finally {
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  }
}
