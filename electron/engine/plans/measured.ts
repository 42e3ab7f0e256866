import type { FileContent } from '../stores/store';
import type { PlannedStep } from './steps';

/**
 * A content whose length nobody could tell before it was gone through: it is remembered then. The plan goes through it
 * once, for the room it needs, and the apply once, to write it; more would cost a long session seconds each time.
 */
function measuredContent(content: FileContent): FileContent {
  let size = content.size;
  return {
    get size() {
      return size;
    },
    *pieces() {
      let bytes = 0;
      for (const piece of content.pieces()) {
        bytes += piece.length;
        yield piece;
      }
      size = bytes;
    },
  };
}

/** The same step, with a content that tells its length once it was gone through. */
export function measured(step: PlannedStep): PlannedStep {
  if (step.kind !== 'file' || step.after === null || 'append' in step.after || step.after.content.size !== null) return step;
  return { ...step, after: { content: measuredContent(step.after.content) } };
}
