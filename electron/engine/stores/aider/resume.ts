import type { NativeId } from '@shared/model';
import type { Command, SessionFacts } from '../store';

/**
 * How a person goes on: Aider can take up a history file as a whole, never one run of it (FORMAT.md, "Going on"). The
 * file is named where it is not the one Aider would find by itself.
 */
export function resumeCommand(_native: NativeId, facts: SessionFacts): Command | null {
  const file = facts.own?.['file'];
  if (typeof file !== 'string' || file === '') return null;
  const place = facts.own?.['usual'] === true ? [] : ['--chat-history-file', file];
  return { argv: ['aider', '--restore-chat-history', ...place], cwd: facts.directory };
}
