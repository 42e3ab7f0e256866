import { wallTime } from './time';
import { wordsOf } from './words';

/** Something typed or answered, as a witness file tells it. */
export interface Told {
  /** Local, ms as if UTC. */
  time: number;
  /** See `wordsOf`. */
  words: string;
  text: string | null;
}

/** What a stretch of a witness file says, and where the next stretch has to begin. */
export interface Testimony {
  told: Told[];
  next: number;
}

/**
 * What stands in `.aider.input.history` (FORMAT.md, "Typed input"). What is typed between `{` and `}` is one prompt; such a
 * block that is still open at the end is left for later. `more` says that the file goes on behind these bytes.
 */
export function typedIn(bytes: Buffer, at: number, more: boolean, isNewRun: (before: number, after: number) => boolean): Testimony {
  const entries = singleEntries(bytes, at);
  const unsure = more ? entries.pop() : undefined;
  const told: Told[] = [];
  let next = unsure?.at ?? entries.at(-1)?.end ?? at;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as SingleEntry;
    const tag = /^\{([A-Za-z0-9]*)$/.exec(entry.text)?.[1];
    const end = tag === undefined ? i : entries.findIndex((other, index) => index > i && (other.text === `${tag}}` || isNewRun(entry.time, other.time)));
    if (end < 0) {
      next = entry.at;
      break;
    }
    const close = entries[end] as SingleEntry;
    if (tag !== undefined && close.text === `${tag}}` && !isNewRun(entry.time, close.time)) {
      const text = entries.slice(i + 1, end).map((line) => line.text).join('\n');
      told.push({ time: close.time, words: wordsOf(text), text });
      i = end;
    } else told.push({ time: entry.time, words: wordsOf(entry.text), text: entry.text });
  }
  return { told, next };
}

interface SingleEntry {
  at: number;
  end: number;
  time: number;
  text: string;
}

/** Entries as the prompt's library writes them: an empty line, `# time`, and one `+` line for each line. */
function singleEntries(bytes: Buffer, at: number): SingleEntry[] {
  const entries: SingleEntry[] = [];
  let open: SingleEntry | null = null;
  for (const { text, start, end } of wholeLines(bytes, at)) {
    const time = text.startsWith('# ') ? wallTime(text.slice(2)) : null;
    if (time !== null) {
      open = { at: start, end, time, text: '' };
    } else if (text.startsWith('+') && open) {
      if (open.text === '' && entries.at(-1) !== open) entries.push(open);
      else open.text += '\n';
      open.text += text.slice(1);
      open.end = end;
    }
  }
  return entries;
}

/**
 * Answers in the model history (FORMAT.md, "Model history"). The requests, with all their files, are passed over. A
 * block is written at one go, so the last one is whole unless the file goes on behind these bytes.
 */
export function answeredIn(bytes: Buffer, at: number, more: boolean): Testimony {
  const told: Told[] = [];
  let open: { time: number; lines: string[] } | null = null;
  let last = at;
  let next = at;
  const close = () => {
    if (open) told.push({ time: open.time, words: wordsOf(open.lines.join('\n')), text: null });
    open = null;
  };
  for (const { text, start, end } of wholeLines(bytes, at)) {
    const [, what, iso = ''] = /^(TO LLM|LLM RESPONSE) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)$/.exec(text) ?? [];
    if (what !== undefined) {
      close();
      const time = what === 'LLM RESPONSE' ? wallTime(iso) : null;
      open = time === null ? null : { time, lines: [] };
      last = start;
    } else if (open) (open as { lines: string[] }).lines.push(text.startsWith('ASSISTANT ') ? text.slice('ASSISTANT '.length) : text);
    next = end;
  }
  // A request has nothing to keep: its lines need not be seen again.
  if (more && open) return { told, next: last };
  close();
  return { told, next };
}

/** Lines that have an end; one without is still being written. */
function* wholeLines(bytes: Buffer, at: number): Iterable<{ text: string; start: number; end: number }> {
  for (let start = 0, stop = bytes.indexOf(10); stop >= 0; start = stop + 1, stop = bytes.indexOf(10, start)) {
    yield { text: bytes.toString('utf8', start, stop).replace(/\r$/, ''), start: at + start, end: at + stop + 1 };
  }
}
