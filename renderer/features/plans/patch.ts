import type { ChangeHunk, PlanFileStep } from '@shared/model';

/** Hunks of a plan's file as a patch, which is what draws diffs. */
export function patchOf({ act }: Pick<PlanFileStep, 'act'>, hunks: readonly ChangeHunk[]): string {
  // The path is told above the lines; in a patch it would have to be quoted.
  const head = `--- ${act === 'create' ? '/dev/null' : 'a/file'}\n+++ ${act === 'delete' ? '/dev/null' : 'b/file'}\n`;
  return hunks.length === 0 ? '' : head + hunks.map(({ oldStart, oldLines, newStart, newLines, heading, lines }) => `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === null ? '' : ` ${heading}`}\n${lines.join('\n')}\n`).join('');
}
