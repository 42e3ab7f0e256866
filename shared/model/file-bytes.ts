import type { ContentKnowledge } from './changes';

/** Picture types that browsers draw without running anything. SVG is none of them: it is a text that may hold scripts. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp'] as const;
export type PictureType = (typeof pictureTypes)[number];

/** A picture as its own first bytes tell it, whatever its name ends with. */
export interface PictureFacts {
  type: PictureType;
  /** Pixels. */
  width: number;
  height: number;
}

/** A file at one moment, as bytes. */
export interface FileBytes {
  state: ContentKnowledge;
  /** Null where it is not known, or not there. */
  size: number | null;
  /** The name git has for these bytes; null where they are not recorded as bytes. */
  hash: string | null;
  /** Null for what is no picture. `data`: base64; null when it is not sent, see `why`. */
  picture: (PictureFacts & { data: string | null }) | null;
  /** Why its bytes, or the picture, are not shown, one sentence. */
  why: string | null;
}
