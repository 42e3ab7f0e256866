/**
 * What the program says in the chat history, as far as a reader needs to know it (FORMAT.md, "What the program says").
 * A text is one message without the `> ` and the two blanks at its end.
 */

/** Messages that make a record of their own, because the turn is understood by them. */
export type ToolClass = 'plain' | 'usage' | 'applied' | 'failed' | 'commit' | 'undo' | 'hint' | 'now';

const usage = /^Tokens: [\d.,]+[kM]? sent/;
const applied = /^(?:Applied edit to (.+)|Did not apply edit to (.+) \(--dry-run\))$/;
const failed = /^(?:The LLM did not conform to the edit format|# \d+ SEARCH\/REPLACE blocks? failed to match!|UnifiedDiff(?:NoMatch|NotUnique): )/;
const commit = /^Commit ([0-9a-f]{7,40}) ?(.*)$/;
const removed = /^Removed: ([0-9a-f]{7,40}) ?(.*)$/;
const now = /^(?:Now at|HEAD is): +([0-9a-f]{7,40}) ?(.*)$/;
const hint = /^You can use \/undo to /;

export function classOf(text: string): ToolClass {
  if (usage.test(text)) return 'usage';
  if (applied.test(text)) return 'applied';
  if (failed.test(text)) return 'failed';
  if (commit.test(text)) return 'commit';
  if (removed.test(text)) return 'undo';
  if (now.test(text)) return 'now';
  return hint.test(text) ? 'hint' : 'plain';
}

/** The file an edit was made to, or would have been without `--dry-run`. */
export function appliedEdit(text: string): { path: string; done: boolean } | null {
  const found = applied.exec(text);
  if (!found) return null;
  return found[1] === undefined ? { path: found[2] ?? '', done: false } : { path: found[1], done: true };
}

export interface NamedCommit {
  hash: string;
  subject: string;
}

const named = (pattern: RegExp, text: string): NamedCommit | null => {
  const found = pattern.exec(text);
  return found && { hash: found[1] ?? '', subject: found[2] ?? '' };
};

export const madeCommit = (text: string): NamedCommit | null => named(commit, text);
export const removedCommit = (text: string): NamedCommit | null => named(removed, text);
export const currentCommit = (text: string): NamedCommit | null => named(now, text);

/** The next commit holds what the person had changed, not what the model did. */
export const announcesOwnCommit = (text: string): boolean => /^Committing .+ before applying edits\.$/.test(text);

export const clearsConversation = (text: string): boolean => /chat history cleared/i.test(text);
export const isInterrupt = (text: string): boolean => /^\^C\b|^KeyboardInterrupt/.test(text);
export const restoresHistory = (text: string): boolean => text === 'Restored previous conversation history.';

/** A file that the model may read and not change: conventions are given so. */
export const readOnlyFile = (text: string): string | null => /^Added (.+) to (?:the chat \(read-only\)|read-only files)\.$/.exec(text)?.[1] ?? null;

export const programVersion = (text: string): string | null => /^Aider v(\S+)/.exec(text)?.[1] ?? null;

export function mainModel(text: string): { model: string; format: string } | null {
  const found = /^(?:Main model|Models?): (\S+) with (.+?) edit format/.exec(text);
  return found && { model: found[1] ?? '', format: found[2] ?? '' };
}

export const gitFolder = (text: string): string | null => /^Git working dir: (.+)$/.exec(text)?.[1] ?? null;

/** How a run begins: notices of the terminal, the command line, and what the program says about itself. */
const firstWords = [
  /^Aider v\d/,
  /^(?:Main model|Models?|Weak model|Editor model): /,
  /^Detected dumb terminal/,
  /^You can skip this check with --no-gitignore/,
  /^Add \S+ to \.gitignore/,
  /^(?:\S*[/\\])?aider(?:\.exe)?(?: |$)/,
  /^\S*python\S* -m aider/,
  /^Can't initialize prompt toolkit/,
  /^Warning: Input is not a terminal/,
  /^Terminal does not support pretty output/,
  /^(?:Newer aider version|Note: in-chat filenames|Update git (?:name|email) with)/,
];

export const beginsRun = (text: string): boolean => firstWords.some((pattern) => pattern.test(text));

const usualWords = [
  /^(?:Git repo|Repo-map|Cur working dir|Git working dir): /,
  /^(?:Added|Removed|Moved|Restored|Dropping|Skipping|Creating|Scraping|Retrying|Running|Updating|Switched|Copied|Using|Reading) /,
  /\(Y\)es\/\(N\)o/,
  /^https?:\/\//,
  /^\^C/,
  /^(?:No|No more) changes /,
  /^(?:Warning|Note|Error|Fatal|Invalid command|Unknown command|Usage): /,
  /^(?:litellm\.|The API provider|Model .+ has hit a token limit|Your estimated chat context|Empty response received|Only \d+ reflections)/,
  /^(?:Unable to|Exception while|Traceback|Can't|Cannot|Sorry,) /,
  /chat history cleared/i,
  /^(?:Repo files not in the chat|Files in chat|Read-only files|Initial repo scan|Linting|Fix lint|Attempt to fix)/,
  /^Use `?\//,
];

/** A message the program is known to write: in an answer a line of this kind is a quote only by a rare accident. */
export const isKnown = (text: string): boolean => classOf(text) !== 'plain' || announcesOwnCommit(text) || beginsRun(text) || usualWords.some((pattern) => pattern.test(text));

/** Messages of several lines, of which only the first is marked: told by their first line. */
export const opensLongMessage = (text: string): boolean =>
  ['commit', 'undo', 'now', 'failed'].includes(classOf(text)) || /^(?:Repo files not in the chat|Files in chat|Read-only files):/.test(text);
