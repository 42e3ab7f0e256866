import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { claudeCode } from '../../stores/claude-code';
import { encodedFolder } from '../../stores/claude-code/encode';
import { asJsonObject, asText } from '../../stores/foreign/fields';
import { agentNative } from '../../stores/claude-code/places';
import { fileBytes } from './file-bytes';
import { streamsOf } from './from-store';
import { lastLineNotes } from './last-line';
import { type NotTaken, notTaken, type TakenIn } from './taken-in';

/** Files beside a transcript that are taken along, and lines looked at for what names the session. */
const limits = { files: 20_000, lines: 200 };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Takes in a transcript of Claude Code, with the folder of its name beside it (subagents, saved outputs) where there is one. */
export function takeClaudeCode(path: string, work: string): TakenIn | NotTaken {
  const stem = basename(path).replace(/\.jsonl$/i, '');
  const told = toldBy(path);
  if (told.agent !== null && told.session !== null) return takeSubagent(path, work, { session: told.session, agent: told.agent, cwd: told.cwd });
  const session = uuid.test(stem) ? stem : (told.session ?? null);
  if (session === null) return notTaken('The transcript does not say which session it is: neither its name nor its lines hold an id.');
  const { home, project } = folderFor(work, told.cwd);
  copyFileSync(path, join(project, `${session}.jsonl`), constants.COPYFILE_FICLONE);
  const beside = join(dirname(path), stem);
  const left = existsSync(beside) ? copyBeside(beside, join(project, session)) : null;
  const { streams, damage, heads } = streamsOf(claudeCode, { agent: 'claude-code', folder: home, origin: 'import' }, () => [session]);
  if (streams.length === 0) return notTaken('The transcript holds no conversation: there is nothing to show of it.');
  const notes = [
    ...(uuid.test(stem) ? [] : [`The file is not named after its session; its lines say ${session}.`]),
    ...lastLineNotes(path),
    ...(left === null || left === 0 ? [] : [`${left} files beside the transcript are links or too many, and were left out.`]),
  ];
  return { kind: 'claude-code transcript', agent: 'claude-code', root: session, title: heads.find(({ nativeId }) => nativeId === session)?.title ?? null, sessions: heads, streams, bundle: null, damage, notes };
}

/** The transcript of a subagent by itself: it becomes that subagent, and is not taken for the session whose id its lines bear. */
function takeSubagent(path: string, work: string, { session, agent, cwd }: { session: string; agent: string; cwd: string | null }): TakenIn | NotTaken {
  const { home, project } = folderFor(work, cwd);
  const place = join(project, session, 'subagents');
  mkdirSync(place, { recursive: true });
  copyFileSync(path, join(place, `agent-${agent}.jsonl`), constants.COPYFILE_FICLONE);
  const meta = path.replace(/\.jsonl$/i, '.meta.json');
  if (meta !== path && lstatSync(meta, { throwIfNoEntry: false })?.isFile() === true) copyFileSync(meta, join(place, `agent-${agent}.meta.json`), constants.COPYFILE_FICLONE);
  const root = agentNative(session, agent);
  const { streams, damage, heads } = streamsOf(claudeCode, { agent: 'claude-code', folder: home, origin: 'import' }, () => [root]);
  if (streams.length === 0) return notTaken('The transcript holds no conversation: there is nothing to show of it.');
  const notes = [`This is a subagent of session ${session}. To bring in the whole, import the session’s own transcript, with its folder beside it.`, ...lastLineNotes(path)];
  return { kind: 'claude-code transcript', agent: 'claude-code', root, title: heads.find(({ nativeId }) => nativeId === root)?.title ?? null, sessions: heads, streams, bundle: null, damage, notes };
}

function folderFor(work: string, cwd: string | null): { home: string; project: string } {
  const home = join(work, 'claude-code');
  const project = join(home, 'projects', cwd === null ? 'imported' : encodedFolder(cwd));
  mkdirSync(project, { recursive: true });
  return { home, project };
}

interface Told {
  session: string | null;
  cwd: string | null;
  /** Of a subagent’s transcript, whose every line names it. */
  agent: string | null;
}

function toldBy(path: string): Told {
  const told: Told = { session: null, cwd: null, agent: null };
  let isFirst = true;
  for (const line of firstLines(path)) {
    const fields = asJsonObject(line);
    const session = asText(fields?.['sessionId']);
    if (session !== null && uuid.test(session)) told.session ??= session;
    told.cwd ??= asText(fields?.['cwd']);
    if (isFirst && fields?.['isSidechain'] === true) told.agent = agentName(fields['agentId']);
    if (fields) isFirst = false;
    if (told.session !== null && told.cwd !== null) break;
  }
  return told;
}

function agentName(id: unknown): string | null {
  const name = asText(id);
  return name !== null && /^[\w-]{1,100}$/.test(name) ? name : null;
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
