import { readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { assertNever } from '@shared/model';
import { takeAider } from './from-aider';
import { takeBundle } from './from-bundle';
import { takeClaudeCode } from './from-claude-code';
import { takeCodex } from './from-codex';
import { takeOpenCode } from './from-opencode';
import { recognise, unreadable } from './recognise';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Bytes of a file that is taken in; a larger one is refused with its size. */
export const fileLimit = 4 * 1024 * 1024 * 1024;

export interface TakeInOptions {
  /** A folder of ours, empty, for what has to be put together on the way. */
  work: string;
  /** Take what is whole of a file that was cut. */
  salvage: boolean;
  /** The file was fetched from a share. */
  link: boolean;
}

/** Makes of whatever lies at a path what can be imported, or says in one sentence why it cannot. Nothing outside `work` is written. */
export function takeIn(path: string, { work, salvage, link }: TakeInOptions): TakenIn | NotTaken {
  const found = recognise(path);
  if (found.form === 'folder') return takeFolder(path, { work, salvage, link });
  if (found.form === 'none') return notTaken(found.says);
  const { size } = statSync(path);
  if (size > fileLimit) return notTaken(`The file has ${size.toLocaleString('en')} bytes; up to ${fileLimit.toLocaleString('en')} are taken in.`);
  switch (found.form) {
    case 'bundle': return takeBundle(path);
    case 'claude-code transcript': return takeClaudeCode(path, work);
    case 'codex rollout':
    case 'codex session': return takeCodex(path, work);
    case 'aider history': return takeAider(path);
    case 'opencode export':
    case 'opencode share': return takeOpenCode({ path, form: found.form, skipped: found.skipped, link }, work, salvage);
    default: return assertNever(found, 'form of a file');
  }
}

/** The folder of one session: of Claude Code beside its transcript, or one that holds a single transcript. */
function takeFolder(path: string, options: TakeInOptions): TakenIn | NotTaken {
  const transcript = join(dirname(path), `${basename(path)}.jsonl`);
  if (statSync(transcript, { throwIfNoEntry: false })?.isFile()) return takeIn(transcript, options);
  let names: string[];
  try {
    names = readdirSync(path);
  } catch (error) {
    return notTaken(unreadable(path, error));
  }
  const files = names.filter((name) => /\.(?:jsonl|jsonl\.zst|json|md)$/.test(name) && !name.startsWith('agent-'));
  const known = files.filter((name) => recognise(join(path, name)).form !== 'none');
  const [only] = known;
  if (only === undefined) return notTaken('The folder holds no session that Retrace knows. A whole store is read in its place: name it with --add.');
  if (known.length > 1) return notTaken(`The folder holds ${known.length} sessions. Name one of them: ${known.slice(0, 5).join(', ')}${known.length > 5 ? ' …' : ''}.`);
  return takeIn(join(path, only), options);
}
