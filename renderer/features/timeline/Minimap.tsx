import { useEffect, useMemo, useRef, type PointerEvent } from 'react';
import { failedToolCode, kindCodes, promptCode, stateCodes } from '@shared/contract';
import { countOf } from '../../ui/format';
import { useTheme } from '../../app/theme';
import { countLandmarks } from './outline';
import { jumpTo } from './session';
import { useSession } from './state';

const width = 14;
/** Height of one part at the most, px. */
const tallest = 10;
/** More compactions than this are drawn at the strip's edge only. */
const manyBorders = 60;

/** Colours of the strip, read from the tokens so that it follows the theme. */
function strokes(element: Element): Record<string, string> {
  // A custom property keeps `light-dark()` as it is written; only a real property is computed.
  const probe = document.createElement('i');
  element.parentElement?.append(probe);
  const resolve = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = { live: resolve('--map-live'), gone: resolve('--map-gone'), prompt: resolve('--map-prompt'), error: resolve('--map-error'), border: resolve('--map-border') };
  probe.remove();
  return colours;
}

/** 0 to 1: some of a row shows faintly, half of it or more in full. */
function shareOf(kinds: string, code: string): number {
  const parts = kinds.split(code).length - 1;
  return parts === 0 ? 0 : 0.15 + (2 * parts) / kinds.length;
}

/** The whole session as a strip: what the model sees, turns, errors, compactions. Shown by part, not by height, so that it never shifts. */
export function Minimap({ first, last }: { first: number; last: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const outline = useSession((session) => session.outline);
  const damage = useSession((session) => session.detail?.damage);
  const theme = useTheme(({ theme: chosen }) => chosen);
  const counts = useMemo(() => (outline ? countLandmarks(outline) : null), [outline]);

  const borders = counts?.compactions ?? 0;
  useEffect(() => {
    const element = canvas.current;
    if (!element || !outline) return undefined;
    const draw = () => {
      const height = element.clientHeight;
      const scale = window.devicePixelRatio || 1;
      element.width = width * scale;
      element.height = height * scale;
      const pen = element.getContext('2d');
      if (!pen || height === 0) return;
      pen.scale(scale, scale);
      const colour = strokes(element);
      const rows = Math.max(1, Math.floor(height / 2));
      const rowOf = (index: number) => Math.min(rows - 1, Math.floor((index * rows) / outline.total));
      const bar = (index: number, x: number, wide: number, tall: number) => {
        pen.fillStyle = colour['error'] ?? '';
        pen.globalAlpha = 1;
        pen.fillRect(x, rowOf(index) * 2, wide, tall);
      };
      for (let row = 0; row < rows; row += 1) {
        const from = Math.floor((row * outline.total) / rows);
        const to = Math.max(from + 1, Math.floor(((row + 1) * outline.total) / rows));
        if (from >= outline.total) break;
        const y = row * 2;
        const kinds = outline.kinds.slice(from, to);
        const live = outline.states.slice(from, to).includes(stateCodes.live);
        const mark = (name: string, x: number, wide: number, share: number) => {
          pen.fillStyle = colour[name] ?? '';
          pen.globalAlpha = Math.min(1, share);
          pen.fillRect(x, y, wide, 2);
        };
        mark(live ? 'live' : 'gone', 5, 4, 1);
        // Where many parts share a row, the shade tells how many of them are meant.
        mark('prompt', 2, 10, shareOf(kinds, promptCode));
        mark('error', 9, 4, shareOf(kinds, failedToolCode));
        // Hundreds of borders across the strip would hide what lies between them.
        if (kinds.includes(kindCodes.compaction)) mark('border', 0, borders > manyBorders ? 4 : width, 1);
      }
      for (const index of outline.diagnosed) bar(index, 9, 4, 2);
      // A damaged place lies between parts: a line from the edge inwards.
      for (const { before } of damage ?? []) bar(before, 0, 6, 2);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', draw);
    };
  }, [outline, damage, theme, borders]);

  if (!outline || outline.total === 0 || counts === null) return null;
  const share = (index: number) => `${(index / outline.total) * 100}%`;
  const goTo = (event: PointerEvent<HTMLDivElement>) => {
    if (event.buttons === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    const at = Math.floor(((event.clientY - box.top) / box.height) * outline.total);
    void jumpTo(Math.max(0, Math.min(outline.total - 1, at)), 'start');
  };
  return (
    <div
      className="minimap"
      role="img"
      aria-label={`Map of the session: ${countOf(outline.total, 'part')}, ${countOf(counts.turns, 'turn')}, ${countOf(counts.compactions, 'compaction')}, ${countOf(counts.errors, 'failed step')}${counts.diagnoses > 0 ? `, ${countOf(counts.diagnoses, 'diagnosis', 'diagnoses')}` : ''}${damage && damage.length > 0 ? `, ${countOf(damage.length, 'damaged place')}` : ''}`}
    >
      {/* A short session does not fill the strip: its parts would look like more than they are. */}
      <div className="minimap-strip" style={{ maxHeight: outline.total * tallest }} onPointerDown={goTo} onPointerMove={goTo}>
        <canvas ref={canvas} style={{ width, height: '100%' }} />
        <div className="minimap-view" style={{ top: share(first), height: `max(6px, ${share(Math.min(outline.total, last + 1) - first)})` }} />
      </div>
    </div>
  );
}
