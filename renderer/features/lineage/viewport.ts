import type { ReactFlowInstance } from '@xyflow/react';
import type { KinEdgeType } from './KinEdge';
import type { SessionNodeType } from './SessionNode';

export type Flow = ReactFlowInstance<SessionNodeType, KinEdgeType>;

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Times of the page's small movements, ms; none where the person wants none. */
export const duration = (): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 120);

/** A family is shown whole from this zoom on; a larger one begins at the session that was asked for. */
const readable = 0.55;
/** Room that is kept around what one walks to, px of the screen. */
const margin = 24;

/** Shows the whole map where it can be read, else the neighbourhood of a session. */
export function showFirst(flow: Flow, frame: DOMRect, whole: Rect, asked: Rect | null): void {
  const zoom = Math.min(1, (frame.width - 2 * margin) / whole.width, (frame.height - 2 * margin) / whole.height);
  const centre = (rect: Rect, at: number, dy = 0) => void flow.setCenter(rect.x + rect.width / 2, rect.y + rect.height / 2 + dy / at, { zoom: at });
  if (zoom >= readable || !asked) centre(whole, Math.max(zoom, 0.05));
  // In the upper third: what came of it is below.
  else centre(asked, 0.85, frame.height / 4);
}

/** Moves the map just so far that a rectangle is on the screen. */
export function bringIntoView(flow: Flow, frame: DOMRect, rect: Rect): void {
  const { x, y, zoom } = flow.getViewport();
  const left = rect.x * zoom + x;
  const top = rect.y * zoom + y;
  const by = (start: number, size: number, room: number) => {
    if (start < margin) return margin - start;
    return Math.min(0, Math.max(room - margin - start - size, margin - start));
  };
  const dx = by(left, rect.width * zoom, frame.width);
  const dy = by(top, rect.height * zoom, frame.height);
  if (dx !== 0 || dy !== 0) void flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: duration() });
}

/** After a new layout what one looks at stays where it was on the screen. */
export function holdStill(flow: Flow, before: Rect, now: Rect): void {
  const { x, y, zoom } = flow.getViewport();
  void flow.setViewport({ x: x + (before.x - now.x) * zoom, y: y + (before.y - now.y) * zoom, zoom });
}
