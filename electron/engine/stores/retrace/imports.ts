import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agents, type Agent, storeId, type StoreId } from '@shared/model';
import { z } from 'zod';

/**
 * Imported sessions lie beside the library, one folder an import: `<library>.imports/<name>/`, with the bundle that
 * everything was made into when it was taken in, and where it came from. They are Retrace's own data.
 */
export const importFiles = { bundle: 'bundle.retrace.jsonl', origin: 'origin.json' } as const;

export const importKinds = ['share link', 'opencode export', 'claude-code transcript', 'codex rollout', 'aider history', 'bundle', 'fork'] as const;

/** Where an import came from. */
export const importOrigin = z.object({
  kind: z.enum(importKinds),
  /** Whose transcript it is. */
  agent: z.enum(agents).refine((name): name is Agent => name !== 'retrace'),
  /** The address or the path, as the person gave it. */
  from: z.string().max(8_192),
  /** ISO 8601. */
  imported: z.string().max(40),
  /** SHA-256 (hex) over the streams: equal for equal content. */
  content: z.string().regex(/^[0-9a-f]{64}$/),
  /** Native id of the session that was asked for; subagents came along. */
  root: z.string().min(1).max(16_384),
  /** What was said about it when it was taken in. */
  notes: z.array(z.string().max(2_000)).max(200),
});
export type ImportOrigin = z.infer<typeof importOrigin>;

export const importsFolder = (library: string): string => `${library}.imports`;

/** Names are made here and are nothing but names. */
const importName = /^[0-9a-f]{12}$/;

export const importStoreId = (name: string): StoreId => storeId(`retrace~${name}`);

/** An import as it lies on the disk. */
export interface FoundImport {
  name: string;
  folder: string;
  origin: ImportOrigin;
}

/** Imports of a library. One that cannot be read is passed over: its sessions stay in the library and are said to be gone. */
export function findImports(folder: string): FoundImport[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => importName.test(name))
    .sort()
    .flatMap((name) => {
      const origin = readOrigin(join(folder, name));
      return origin ? [{ name, folder: join(folder, name), origin }] : [];
    });
}

export function readOrigin(folder: string): ImportOrigin | null {
  try {
    return importOrigin.parse(JSON.parse(readFileSync(join(folder, importFiles.origin), 'utf8')));
  } catch {
    return null;
  }
}
