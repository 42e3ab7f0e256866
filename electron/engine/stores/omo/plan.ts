/** Which version's rules a plan is counted by (FORMAT.md, "Progress of a plan"). */
export type PlanRule = 'current' | '3.17' | '3.0';

export interface PlanProgress {
  rule: PlanRule;
  done: number;
  total: number;
  complete: boolean;
  /** Label of the first row that is not ticked. */
  current: string | null;
}

/** A box as it stands in the plan, whether or not it counts. */
export interface PlanBox {
  /** From 1. */
  line: number;
  done: boolean;
  text: string;
  /** Columns it is indented by. */
  indent: number;
  /** The heading it stands under. */
  heading: string | null;
  counts: boolean;
}

interface Row {
  line: number;
  done: boolean;
  label: string;
}

/** Characters of a line that are looked at: what a person can read of a task. */
const lineLimit = 4_000;

const linesOf = (text: string): string[] => text.split(/\r?\n/).map((line) => (line.length > lineLimit ? line.slice(0, lineLimit) : line));

/** Progress of a plan's text under the rules of one version. */
export function progressOf(text: string, rule: PlanRule): PlanProgress {
  const rows = countedRows(linesOf(text), rule);
  const done = rows.filter((row) => row.done).length;
  return {
    rule, done, total: rows.length,
    // Up to 3.0 a plan without boxes passed for complete.
    complete: rows.length === 0 ? rule === '3.0' : done === rows.length,
    current: rows.find((row) => !row.done)?.label ?? null,
  };
}

/** Every box outside fenced code, in order; those that count under the rule are marked. */
export function boxesOf(text: string, rule: PlanRule): PlanBox[] {
  const lines = linesOf(text);
  const counted = new Set(countedRows(lines, rule).map(({ line }) => line));
  const boxes: PlanBox[] = [];
  let heading: string | null = null;
  for (const { line, text: content } of outsideFences(lines)) {
    const [, title] = /^#{1,6}[ \t]+(.*)$/.exec(content) ?? [];
    if (title !== undefined) heading = title.replace(/[ \t]+#+[ \t]*$/, '').trim() || null;
    const box = anyBox.exec(content);
    if (box) boxes.push({ line, done: isTick(box[2]), text: (box[3] ?? '').trim(), indent: (box[1] ?? '').length, heading, counts: counted.has(line) });
  }
  return boxes;
}

const anyBox = /^([ \t]*)[-*+][ \t]*\[[ \t]*(?:([xX])[ \t]*)?\](.*)$/;
const isTick = (mark: string | undefined): boolean => mark === 'x' || mark === 'X';

function countedRows(lines: readonly string[], rule: PlanRule): Row[] {
  switch (rule) {
    case 'current':
      return currentRows(lines);
    case '3.17':
      return lines.some((line) => earlierHeading(line) !== null) ? earlierSections(lines) : earliestRows(lines);
    case '3.0':
      return earliestRows(lines);
  }
}

type Section = 'todo' | 'final';

function currentRows(lines: readonly string[]): Row[] {
  const seen = outsideFences(lines);
  if (!seen.some(({ text }) => currentHeading(text) !== null)) return seen.flatMap(({ line, text }) => looseRow(line, text));
  const rows: Row[] = [];
  let section: Section | null = null;
  for (const { line, text } of seen) {
    // A first or second level heading ends the section, a third level one does not.
    if (/^#{1,2}(?:[ \t]|$)/.test(text)) section = currentHeading(text);
    else if (section !== null) rows.push(...strictRow(line, text, section));
  }
  return rows;
}

function currentHeading(line: string): Section | null {
  if (/^##[ \t]+TODOs(?:[ \t]+#+)?[ \t]*$/i.test(line)) return 'todo';
  return /^##[ \t]+Final Verification Wave(?:[ \t]+#+)?[ \t]*$/i.test(line) ? 'final' : null;
}

function strictRow(line: number, text: string, section: Section): Row[] {
  const [, mark, label] = (section === 'todo' ? /^- \[([ xX])\] ([1-9]\d*\. .+)$/ : /^- \[([ xX])\] (F[1-9]\d*\. .+)$/i).exec(text) ?? [];
  return label === undefined ? [] : [{ line, done: isTick(mark), label }];
}

function looseRow(line: number, text: string): Row[] {
  const [, mark, label] = /^[-*][ \t]*\[[ \t]*(?:([xX])[ \t]*)?\][ \t]+(\S.*)$/.exec(text) ?? [];
  return label === undefined ? [] : [{ line, done: isTick(mark), label }];
}

/** Up to 4.1 what follows the words of a heading did not matter. */
function earlierHeading(line: string): Section | null {
  if (/^##\s+TODOs\b/i.test(line)) return 'todo';
  return /^##\s+Final Verification Wave\b/i.test(line) ? 'final' : null;
}

function earlierSections(lines: readonly string[]): Row[] {
  const rows: Row[] = [];
  let section: Section | null = null;
  for (const [at, text] of lines.entries()) {
    if (/^##\s/.test(text)) section = earlierHeading(text);
    else if (section !== null) {
      const [, mark, label] = /^[-*]\s*\[(?:\s*|([xX]))\]\s*(\S.*)$/.exec(text) ?? [];
      if (label !== undefined && (section === 'todo' ? /^\d+\.\s+\S/ : /^F\d+\.\s+\S/i).test(label)) rows.push({ line: at + 1, done: isTick(mark), label: label.trim() });
    }
  }
  return rows;
}

function earliestRows(lines: readonly string[]): Row[] {
  return lines.flatMap((text, at) => {
    const [all, mark, label] = /^[-*]\s*\[(?:\s*|([xX]))\](.*)$/.exec(text) ?? [];
    return all === undefined ? [] : [{ line: at + 1, done: isTick(mark), label: (label ?? '').trim() }];
  });
}

interface Line {
  line: number;
  text: string;
}

/** Lines that are not in fenced code. A fence ends with a run of its own kind that is as long; one that is never closed swallows the rest. */
function outsideFences(lines: readonly string[]): Line[] {
  const outside: Line[] = [];
  let fence: string | null = null;
  for (const [at, text] of lines.entries()) {
    const [, run, info] = /^[ \t]{0,3}(`{3,}|~{3,})(.*)$/.exec(text) ?? [];
    if (fence !== null) {
      if (run !== undefined && run[0] === fence[0] && run.length >= fence.length && (info ?? '').trim() === '') fence = null;
    } else if (run !== undefined && !(run.startsWith('`') && (info ?? '').includes('`'))) {
      fence = run;
    } else {
      outside.push({ line: at + 1, text });
    }
  }
  return outside;
}
