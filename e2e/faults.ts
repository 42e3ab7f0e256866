import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Faults that axe calls serious or critical, each with the elements it means. */
export async function faults(page: Page): Promise<string[]> {
  // In one page: the other mode wants a context that it made itself.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`));
}
