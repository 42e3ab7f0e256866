import { DiffDrawing, type DrawnRow, type LaidOut } from './drawing';
import type { GapEnd } from './gaps';
import type { DiffLook } from './rows';

/** What the page asks of the worker about one patch. */
export type DrawingQuestion =
  | { ask: 'open'; language: string | null; wholeLines: number | null }
  | { ask: 'close' }
  | { ask: 'push'; text: string; isLast: boolean }
  | { ask: 'lay'; look: DiffLook }
  | { ask: 'unfold'; from: number }
  | { ask: 'put'; gap: number; end: GapEnd; from: number; texts: string[] }
  | { ask: 'widen'; line: number; side: 'before' | 'behind' }
  | { ask: 'draw'; from: number; to: number; isColoured: boolean };
export type DrawingAnswer = LaidOut | DrawnRow[] | null;

const drawings = new Map<number, DiffDrawing>();

async function answerTo(number: number, question: DrawingQuestion): Promise<DrawingAnswer> {
  if (question.ask === 'open') drawings.set(number, new DiffDrawing(question.language, question.wholeLines));
  if (question.ask === 'close') drawings.delete(number);
  const drawing = drawings.get(number);
  if (!drawing) return null;
  switch (question.ask) {
    case 'open':
    case 'close':
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

self.addEventListener('message', ({ data }: MessageEvent<{ number: number; drawing: number; question: DrawingQuestion }>) => {
  answerTo(data.drawing, data.question)
    .then((answer) => self.postMessage({ number: data.number, answer }))
    .catch((error: unknown) => self.postMessage({ number: data.number, problem: error instanceof Error ? error.message : String(error) }));
});
