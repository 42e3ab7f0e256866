import { join } from 'node:path';
import type { FileStep, Making, SessionToWrite } from '../../store';
import { isEntry, nameOf, oneLine } from '../entry';
import { entryIn } from '../readable';
import { contentOfBytes, expectedAt, namesIn, textOfEnd } from './on-disk';
import { isAtLeast, releaseOf } from './release';

/** The release that was seen to keep a title in a file beside the transcript, too. */
const titleFileSince = '2.1.332';

/** Characters of a title: more does not fit a line of the program's list. */
export const titleLength = 200;

/** What the program writes when a session is named: the title, and the same as the name of its agent. */
export const titleLines = (id: string, title: string): string[] => [
  JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: id }),
  JSON.stringify({ type: 'agent-name', agentName: title, sessionId: id }),
];

/** The title's own file, for a release that has it; null where no such file was ever seen. */
export function titleFile(session: SessionToWrite, folder: string, title: string, by: 'user' | 'auto', making: Making): FileStep | null {
  const path = join(folder, 'custom-title.json');
  const there = expectedAt(path);
  if (!there && !isAtLeast(releaseOf(session).version, titleFileSince)) return null;
  const text = JSON.stringify({ customTitle: title, by, at: new Date(making.now).toISOString() });
  return {
    kind: 'file', path, within: session.location.folder, before: there?.before ?? { state: 'absent' }, after: { content: contentOfBytes(Buffer.from(text)) }, mode: 0o600,
    why: 'The title, as newer releases keep it beside the transcript.',
  };
}

/** Title files looked at to find a number that is free. */
const siblingsLookedAt = 2_000;
/** Characters of the first prompt that a fork is named after. */
const promptLength = 100;

/** A fork's title by the program's own rule: the first prompt and `(Branch)`, numbered from the second on. */
export function branchTitle(session: SessionToWrite, project: string): string {
  const prompt = firstPrompt(session) ?? session.facts.title ?? 'Branched conversation';
  const base = oneLine(prompt, promptLength);
  const taken = new Set(namesIn(project).slice(0, siblingsLookedAt).map((name) => titleIn(join(project, name, 'custom-title.json'))));
  let title = `${base} (Branch)`;
  for (let n = 2; taken.has(title); n++) title = `${base} (Branch ${n})`;
  return title;
}

const titleIn = (path: string): string | null => nameOf(entryIn(Buffer.from(textOfEnd(path, 4_096, 'first')))?.['customTitle']);

function firstPrompt(session: SessionToWrite): string | null {
  const first = session.spine.records.find((record) => record.prompt && record.inChain);
  const message = first && entryIn(session.record(first.index))?.['message'];
  const content = isEntry(message) ? message['content'] : null;
  if (typeof content === 'string') return nameOf(content.trim());
  const text = Array.isArray(content) ? content.find((block: unknown) => isEntry(block) && block['type'] === 'text') : null;
  return isEntry(text) ? nameOf(text['text']) : null;
}
