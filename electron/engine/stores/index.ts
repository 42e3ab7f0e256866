import { aider } from './aider';
import { claudeCode } from './claude-code';
import { codex } from './codex';
import { opencode } from './opencode';
import { importedStore } from './retrace/imported-store';
import type { SessionStore } from './store';

/** Every store Retrace reads. A new one is added here; see docs/development.md. Aider comes last: it looks in the projects that the others name. */
export const stores: readonly SessionStore[] = [claudeCode, opencode, codex, aider];

/** Where an indexing pass looks: the stores of the agents, then what was imported, understood by the same readers. */
export const readStores: readonly SessionStore[] = [...stores, ...stores.map(importedStore)];
