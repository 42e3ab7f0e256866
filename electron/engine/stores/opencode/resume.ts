import type { NativeId } from '@shared/model';
import type { Command, SessionFacts } from '../store';
import { notShownAnyMore } from './facts';

/**
 * How to go on with a session. Not with a subagent, which only its caller goes on with, and not with one that the
 * program does not read any more.
 */
export function resumeCommand(native: NativeId, facts: SessionFacts): Command | null {
  if (facts.kind === 'subagent' || facts.notices.some(({ text }) => text === notShownAnyMore)) return null;
  return { argv: ['opencode', '--session', native], cwd: facts.directory };
}
