import type { NativeId } from '@shared/model';
import type { Command, SessionFacts } from '../store';
import { asObject } from '../foreign/fields';

/**
 * How a person goes on with a thread (FORMAT.md, "Going on"). Not offered for the shapes that the program no longer
 * reads, for helpers, for archived threads (they have to be brought back first), and where no file is left.
 */
export function resumeCommand(native: NativeId, facts: SessionFacts): Command | null {
  const own = asObject(facts.own);
  if (facts.kind === 'subagent' || facts.archived !== null || own?.['shape'] !== 'envelope' || own['hasFile'] !== true) return null;
  return { argv: ['codex', 'resume', native], cwd: facts.directory };
}
