import { type Line, stopOf, withoutReturn } from './lines';
import { afterLine, isOpen, nothingOpen, type Opaque } from './opaque';
import { beginsRun, classOf, isKnown, opensLongMessage, type ToolClass } from './vocabulary';

/**
 * What the last line that was not empty belongs to.
 * - `tools`: a whole program message, a run's header, or nothing yet
 * - `multi`: a program message of several lines that is still going on (only its first line is marked)
 * - `user`, `answer`: a prompt, an answer
 */
export type Mode = 'tools' | 'multi' | 'user' | 'answer';

/** What the splitter knows between two lines. JSON by its shape. */
export type SplitState = {
  mode: Mode;
  /** Empty lines since the last one that was not. */
  blanks: number;
  /** Line ends of this run are CR LF. */
  crlf: boolean;
  /** The two blanks at the end of the program's own lines are missing in this run (an editor took them away). */
  trimmed: boolean;
  opaque: Opaque;
  /** A block was cut for its length, and what follows is more of it; the first line is the rest of the line before. */
  inside: BlockKind | null;
};

export type BlockKind = 'run' | 'user' | 'answer' | 'tool';

/**
 * Why a reading is not certain.
 * - `lookalike`: lines of an answer begin like a prompt, a program message or a header
 * - `quote`: a program message nobody knows stands after an answer; it may be a quotation of the answer
 * - `fence`: the answer's last code fence is never closed
 * - `trimmed`: see `SplitState`
 */
export type Doubt = 'lookalike' | 'quote' | 'fence' | 'trimmed';

/** What the program wrote at one time, or several of its messages in a row. */
export interface Block {
  kind: BlockKind;
  /** Of the first message; only for `tool`. */
  tool: ToolClass | null;
  /** First byte. A run, a prompt and an answer include the empty line before them, which the program writes with them. */
  at: number;
  /** Where the text of its last line ends. */
  end: number;
  /** More of the block before it, which became too long. */
  continues: boolean;
  doubts: Doubt[];
  lookalikes: number;
  before: SplitState;
}

/** Bytes of a block; what goes on longer is cut at a line and becomes a block of its own, so that no answer has to be held whole. */
const blockLimit = 8 * 1024 * 1024;

export const headerLine = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/;
const lookalike = /^(?:#### |> |# aider chat started at )/;

/** The stream's beginning counts as an empty line: a header may stand there. */
export const atBeginning: SplitState = { mode: 'tools', blanks: 1, crlf: false, trimmed: false, opaque: nothingOpen, inside: null };

export interface Split {
  blocks: Block[];
  /** Where reading goes on when there is no block: the last empty line may belong to the next one. */
  rest: { at: number; before: SplitState };
}

/** Cuts lines into blocks (FORMAT.md, "Who wrote a line"). The last block may go on with the next bytes; all others are final. */
export function splitBlocks(lines: Line[], state: SplitState, limit = blockLimit): Split {
  const splitter = new Splitter(lines, state, limit);
  return { blocks: splitter.blocks, rest: splitter.run() };
}

class Splitter {
  readonly blocks: Block[] = [];
  state: SplitState;
  /** Start of the last empty line, while the line after it is looked at; -1 when there is none in these bytes. */
  #blankAt = -1;

  constructor(
    readonly lines: Line[],
    state: SplitState,
    readonly limit: number,
  ) {
    this.state = { ...state };
    const [first] = lines;
    if (first?.at === 0) this.state.crlf = first.text.endsWith('\r');
  }

  get #block(): Block | undefined {
    return this.blocks.at(-1);
  }

  run(): Split['rest'] {
    let first = 0;
    const { inside } = this.state;
    const [rest] = this.lines;
    if (inside !== null && rest) {
      this.blocks.push(this.#newBlock(inside, rest.at, { ...this.state }, true));
      this.state.inside = null;
      first = 1;
    }
    for (let i = first; i < this.lines.length; i++) {
      const line = this.lines[i] as Line;
      if (line.torn || !this.#take(i, line)) {
        this.#hold(line);
        return this.#rest(line.at);
      }
    }
    const last = this.lines.at(-1);
    return this.#rest(last ? last.stop + 1 : 0);
  }

  #rest(at: number): Split['rest'] {
    return this.#blankAt < 0 ? { at, before: this.state } : { at: this.#blankAt, before: { ...this.state, blanks: this.state.blanks - 1 } };
  }

  /** A line that cannot be judged yet. In an answer it is shown as more of it until it can. */
  #hold(line: Line): void {
    const block = this.#block;
    if (this.state.mode === 'answer' && block?.kind === 'answer' && line.text.trim() !== '') this.#extend(block, line);
  }

  /** False when only later lines can tell. */
  #take(index: number, line: Line): boolean {
    const text = withoutReturn(line.text, this.state.crlf);
    const conversation = this.state.mode === 'answer' || this.state.mode === 'multi';
    if (text === '' || (!conversation && text.trim() === '')) {
      this.state.blanks++;
      this.#blankAt = line.at;
      return true;
    }
    const header = this.#isHeader(index, line);
    if (header === 'later') return false;
    if (header === 'yes') this.#beginRun(line);
    else this.#place(line, text);
    this.state.blanks = 0;
    this.#blankAt = -1;
    return true;
  }

  /** Outside answers a header is one. Inside, what follows it decides: an empty line and a program message, as at a real start. */
  #isHeader(index: number, line: Line): 'yes' | 'no' | 'later' {
    if (this.state.blanks === 0 || !headerLine.test(withoutReturn(line.text, true))) return 'no';
    if (this.state.mode === 'tools' || this.state.mode === 'user') return 'yes';
    const next = this.lines[index + 1];
    if (!next || next.torn) return 'later';
    if (withoutReturn(next.text, true) !== '') return 'no';
    const third = this.lines[index + 2];
    if (!third || third.torn) return 'later';
    const text = withoutReturn(third.text, true);
    if (text.startsWith('> ')) return !isOpen(this.state.opaque) || beginsRun(text.slice(2).trim()) ? 'yes' : 'no';
    if (text !== '') return 'no';
    // Two starts within a second leave a run with nothing in it.
    const fourth = this.lines[index + 3];
    if (!fourth || fourth.torn) return 'later';
    return headerLine.test(withoutReturn(fourth.text, true)) ? 'yes' : 'no';
  }

  #beginRun(line: Line): void {
    this.#begin('run', line);
    this.state = { ...this.state, mode: 'tools', crlf: line.text.endsWith('\r'), trimmed: false, opaque: nothingOpen };
  }

  #place(line: Line, text: string): void {
    if (this.#isPrompt(text)) this.#takePrompt(line);
    else if (text.startsWith('> ') && this.#isMessage(text)) this.#takeMessage(line, text);
    else if (this.state.mode === 'answer') this.#takeAnswer(line, text);
    else if (this.#goesOn()) this.#takeMore(line, text);
    else this.#takeAnswer(line, text);
  }

  #endsAsTheirs(text: string): boolean {
    return text.endsWith('  ') || this.state.trimmed;
  }

  #isPrompt(text: string): boolean {
    const { mode, blanks, opaque } = this.state;
    if (!text.startsWith('#### ')) return false;
    if (mode === 'user' && blanks === 0) return true;
    if (!this.#endsAsTheirs(text)) return false;
    if (mode === 'tools') return true;
    // An answer ends with an empty line and a prompt begins with one.
    return blanks >= (isOpen(opaque) ? 2 : 1);
  }

  /** Tells a message of the program from a quotation, for a line that begins with `> `. */
  #isMessage(text: string): boolean {
    const { mode, blanks, opaque } = this.state;
    const said = text.slice(2).trim();
    const ends = this.#endsAsTheirs(text);
    switch (mode) {
      case 'tools':
      case 'user':
        return blanks === 0 || ends || opensLongMessage(said) || this.#isAtStart();
      case 'multi':
        return ends && isKnown(said);
      case 'answer':
        if (blanks === 0) return false;
        if (isOpen(opaque)) return ends && isKnown(said);
        return ends || opensLongMessage(said);
    }
  }

  /** The first line after a header. */
  #isAtStart(): boolean {
    const block = this.#block;
    return block?.kind === 'run' && block.tool === null && this.state.blanks === 1;
  }

  #takePrompt(line: Line): void {
    const block = this.#block;
    if (this.state.mode === 'user' && this.state.blanks === 0 && block) this.#append(block, line, '####');
    else this.#begin('user', line);
    this.state = { ...this.state, mode: 'user', opaque: nothingOpen };
  }

  #takeMessage(line: Line, text: string): void {
    const said = text.slice(2).trim();
    const tool = classOf(said);
    const block = this.#block;
    if (this.#isAtStart() && !text.endsWith('  ') && beginsRun(said)) {
      this.state.trimmed = true;
      block?.doubts.push('trimmed');
    }
    const afterAnswer = this.state.mode === 'answer';
    if (afterAnswer && isOpen(this.state.opaque)) block?.doubts.push('fence');
    if (block && this.#joins(block, tool)) this.#extend(block, line);
    else this.#begin('tool', line, tool);
    const now = this.#block as Block;
    if (now.kind === 'run' && now.tool === null) now.tool = 'plain';
    if (afterAnswer && !isKnown(said)) now.doubts.push('quote');
    this.state = { ...this.state, mode: this.#endsAsTheirs(text) ? 'tools' : 'multi', opaque: nothingOpen };
  }

  /** Plain messages in a row make one block, and what only goes with another message goes to it. */
  #joins(block: Block, tool: ToolClass): boolean {
    if (this.#isAtStart()) return tool === 'plain';
    if (this.state.blanks > 0) return false;
    if (block.kind === 'run') return tool === 'plain';
    switch (block.kind === 'tool' ? block.tool : null) {
      case 'plain':
        return tool === 'plain';
      case 'failed':
        return tool === 'plain' || tool === 'failed';
      case 'commit':
        return tool === 'hint';
      case 'undo':
        return tool === 'now' || tool === 'hint';
      default:
        return false;
    }
  }

  /** A line without a mark right behind a message belongs to it: several lines are marked only on the first. */
  #goesOn(): boolean {
    const block = this.#block;
    if (this.state.mode === 'multi') return block !== undefined;
    return this.state.mode === 'tools' && this.state.blanks === 0 && block !== undefined && block.tool !== null;
  }

  #takeMore(line: Line, text: string): void {
    this.#append(this.#block as Block, line, text);
    this.state.mode = text.endsWith('  ') ? 'tools' : 'multi';
  }

  #takeAnswer(line: Line, text: string): void {
    const block = this.#block;
    if (this.state.mode === 'answer' && block) this.#append(block, line, text);
    else {
      this.#begin('answer', line);
      this.state = { ...this.state, mode: 'answer', opaque: nothingOpen };
    }
    const now = this.#block as Block;
    if (lookalike.test(text)) {
      if (now.lookalikes++ === 0) now.doubts.push('lookalike');
    }
    this.state.opaque = afterLine(this.state.opaque, withoutReturn(text, true));
  }

  #begin(kind: BlockKind, line: Line, tool: ToolClass | null = null): void {
    const takesBlank = kind !== 'tool' && this.#blankAt >= 0;
    const before = { ...this.state, blanks: this.state.blanks - (takesBlank ? 1 : 0) };
    const block = this.#newBlock(kind, takesBlank ? this.#blankAt : line.at, before, false);
    block.tool = tool;
    this.blocks.push(block);
    this.#extend(block, line);
  }

  /** Adds a line to a block, or goes on in a new one where the block has become too long. */
  #append(block: Block, line: Line, text: string): void {
    // What begins like something else stays where its beginning can be seen.
    const canCut = line.at - block.at > this.limit && (block.kind === 'user' || !/^[#>]/.test(text));
    if (!canCut) return this.#extend(block, line);
    const kind = block.kind === 'run' ? 'tool' : block.kind;
    const at = this.#blankAt >= 0 ? this.#blankAt : line.at - (this.state.crlf ? 2 : 1);
    const more = this.#newBlock(kind, at, { ...this.state, blanks: 0, inside: kind }, true);
    this.blocks.push(more);
    this.#extend(more, line);
  }

  #newBlock(kind: BlockKind, at: number, before: SplitState, continues: boolean): Block {
    return { kind, tool: kind === 'tool' && continues ? 'plain' : null, at, end: at, continues, doubts: [], lookalikes: 0, before };
  }

  #extend(block: Block, line: Line): void {
    block.end = stopOf(line, this.state.crlf || block.kind === 'run');
  }
}
