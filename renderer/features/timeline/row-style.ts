import type { CSSProperties } from 'react';

/** Places a row of the timeline; a row gets its number rather than this object, so that it is drawn again only when it moved. */
export const rowStyle = (top: number): CSSProperties => ({ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${top}px)` });
