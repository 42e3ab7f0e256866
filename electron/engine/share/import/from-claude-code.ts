import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claudeCode } from '../../stores/claude-code';
import { encodedFolder } from '../../stores/claude-code/encode';
import { asJsonObject, asText } from '../../stores/foreign/fields';
import { fileBytes } from './file-bytes';
import { streamsOf } from './from-store';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Files beside a transcript that are taken along, and lines looked at for what names the session. */
const limits = { files: 20_000, lines: 200 };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Takes in a transcript of Claude Code, with the folder of its name beside it (subagents, saved outputs) where there is one. */
export function takeClaudeCode(path: string, work: string): TakenIn | NotTaken {
  const stem = basename(path).replace(/\.jsonl$/i, '');
  const told = toldBy(path);
  const session = uuid.test(stem) ? stem : (told.session ?? null);
  if (session === null) return notTaken('The transcript does not say which session it is: neither its name nor its lines hold an id.');
  const home = join(work, 'claude-code');
  const project = join(home, 'projects', told.cwd === null ? 'imported' : encodedFolder(told.cwd));
  mkdirSync(project, { recursive: true });
  copyFileSync(path, join(project, `${session}.jsonl`), constants.COPYFILE_FICLONE);
  const beside = join(dirname(path), stem);
  const left = existsSync(beside) ? copyBeside(beside, join(project, session)) : null;
  const { streams, damage, heads } = streamsOf(claudeCode, { agent: 'claude-code', folder: home, origin: 'import' }, () => [session]);
  if (streams.length === 0) return notTaken('The transcript holds no conversation: there is nothing to show of it.');
  const notes = [
    ...(uuid.test(stem) ? [] : [`The file is not named after its session; its lines say ${session}.`]),
    ...(left === null || left === 0 ? [] : [`${left} files beside the transcript are links or too many, and were left out.`]),
  ];
  return { kind: 'claude-code transcript', agent: 'claude-code', root: session, title: heads.find(({ nativeId }) => nativeId === session)?.title ?? null, sessions: heads, streams, bundle: null, damage, notes };
}

function toldBy(path: string): { session: string | null; cwd: string | null } {
  const told: { session: string | null; cwd: string | null } = { session: null, cwd: null };
  for (const line of firstLines(path)) {
    const fields = asJsonObject(line);
    const session = asText(fields?.['sessionId']);
    if (session !== null && uuid.test(session)) told.session ??= session;
    told.cwd ??= asText(fields?.['cwd']);
    if (told.session !== null && told.cwd !== null) break;
  }
  return told;
}

function* firstLines(path: string): Iterable<string> {
  let rest = '';
  let count = 0;
  for (const chunk of fileBytes(path)) {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield line;
      if (++count >= limits.lines) return;
    }
    if (rest.length > 64_000_000) return;
  }
  yield rest;
}

/** Plain files only: a link could lead anywhere. Gives how many were left out. */
function copyBeside(from: string, to: string): number {
  let left = 0;
  let copied = 0;
  const copy = (source: string, target: string, depth: number) => {
    for (const name of readdirSync(source)) {
      const path = join(source, name);
      const stat = lstatSync(path);
      if (stat.isDirectory() && depth < 6) copy(path, join(target, name), depth + 1);
      else if (stat.isFile() && copied < limits.files) {
        mkdirSync(target, { recursive: true });
        copyFileSync(path, join(target, name), constants.COPYFILE_FICLONE);
        copied++;
      } else left++;
    }
  };
  if (!lstatSync(from).isDirectory()) return 0;
  copy(from, to, 0);
  return left;
}
