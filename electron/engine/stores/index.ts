import { aider } from './aider';
import { claudeCode } from './claude-code';
import { codex } from './codex';
import { opencode } from './opencode';
import type { SessionStore } from './store';

/** Every store Retrace reads. A new one is added here; see docs/development.md. Aider comes last: it looks in the projects that the others name. */
export const stores: readonly SessionStore[] = [claudeCode, opencode, codex, aider];
