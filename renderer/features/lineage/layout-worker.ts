import { type Box, layoutOf, type Spots, type Tie } from './layout';

/** What the page asks of the worker, and what it answers. A later question makes an earlier answer stale. */
export interface LayoutQuestion {
  number: number;
  boxes: Box[];
  ties: Tie[];
}
export interface LayoutAnswer {
  number: number;
  spots: Spots;
}

self.addEventListener('message', ({ data }: MessageEvent<LayoutQuestion>) => {
  const answer: LayoutAnswer = { number: data.number, spots: layoutOf(data.boxes, data.ties) };
  self.postMessage(answer);
});
