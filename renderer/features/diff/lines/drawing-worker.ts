import { DiffDrawing, type DrawnRow, type LaidOut } from './drawing';
import type { GapEnd } from './gaps';
import type { DiffLook } from './rows';

/** What the page asks of the worker. A patch that is opened takes the place of the one before. */
export type DrawingQuestion =
  | { ask: 'open'; language: string | null; wholeLines: number | null }
  | { ask: 'push'; text: string; isLast: boolean }
  | { ask: 'lay'; look: DiffLook }
  | { ask: 'unfold'; from: number }
  | { ask: 'put'; gap: number; end: GapEnd; from: number; texts: string[] }
  | { ask: 'widen'; line: number; side: 'before' | 'behind' }
  | { ask: 'draw'; from: number; to: number; isColoured: boolean };
export type DrawingAnswer = LaidOut | DrawnRow[] | null;

let drawing = new DiffDrawing(null);

async function answerTo(question: DrawingQuestion): Promise<DrawingAnswer> {
  switch (question.ask) {
    case 'open':
      drawing = new DiffDrawing(question.language, question.wholeLines);
      return null;
    case 'push':
      drawing.push(question.text, question.isLast);
      return null;
    case 'lay':
      return drawing.lay(question.look);
    case 'unfold':
      return drawing.unfold(question.from);
    case 'put':
      return drawing.put(question.gap, question.end, question.from, question.texts);
    case 'widen':
      return drawing.widen(question.line, question.side);
    case 'draw':
      return drawing.draw(question.from, question.to, question.isColoured);
  }
}

self.addEventListener('message', ({ data }: MessageEvent<{ number: number; question: DrawingQuestion }>) => {
  answerTo(data.question)
    .then((answer) => self.postMessage({ number: data.number, answer }))
    .catch((error: unknown) => self.postMessage({ number: data.number, problem: error instanceof Error ? error.message : String(error) }));
});
