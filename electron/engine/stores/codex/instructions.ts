import type { PartFact } from '../store';
import { instructionsSlot, type RecordedInstructions } from '../store';
import type { Scribe } from './scribe';

const heading = /^# AGENTS\.md instructions(?: for (.+))?/;
const older = '<user_instructions>';

/**
 * Notes the AGENTS.md that Codex put before the model (FORMAT.md, "Injected text"). The text names a folder, or nothing
 * at all, and may be several files in one: the path is made from the folder, and said to be inferred.
 */
export function noteInstructions({ scribe }: { scribe: Scribe }, parts: readonly PartFact[]): void {
  const files = parts.flatMap(({ text }): RecordedInstructions['files'] => {
    const begin = (text ?? '').slice(0, 5_000).trimStart();
    const named = heading.exec(begin);
    if (!named && !begin.startsWith(older)) return [];
    const folder = named?.[1]?.trim() ?? scribe.carry.cwd ?? scribe.carry.meta?.cwd ?? null;
    const path = folder === null ? 'AGENTS.md' : `${folder.replace(/[\\/]+$/, '')}${folder.includes('\\') ? '\\' : '/'}AGENTS.md`;
    return [{ path, kind: 'AGENTS.md', characters: text?.length ?? 0, inferred: true }];
  });
  const block = parts.find(({ text }) => heading.test((text ?? '').trimStart()) || (text ?? '').trimStart().startsWith(older))?.block ?? 0;
  if (files.length === 0) return;
  const { key, at } = scribe.line;
  scribe.evidence.push({ session: scribe.session, slot: `${instructionsSlot}${key}`, data: { key, at, block, files } satisfies RecordedInstructions });
}
