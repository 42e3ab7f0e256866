import { claudeCode } from './claude-code';
import { opencode } from './opencode';
import type { SessionStore } from './store';

/** Every store Retrace reads. A new one is added here; see docs/development.md. */
export const stores: readonly SessionStore[] = [claudeCode, opencode];
