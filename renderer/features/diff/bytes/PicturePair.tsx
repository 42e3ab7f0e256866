import { ToggleGroup } from 'radix-ui';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { type FileBytes, pictureTypes } from '@shared/model';
import { recall, remember } from '../../../ui/remembered';

type Picture = NonNullable<FileBytes['picture']>;

/** How two pictures are compared. */
const ways = [
  { value: 'beside', label: 'Side by side', hint: 'Both, one beside the other.' },
  { value: 'swipe', label: 'Swipe', hint: 'One over the other, with a border that is moved.' },
  { value: 'turns', label: 'In turn', hint: 'One at a time, at the same place.' },
] as const;
type Way = (typeof ways)[number]['value'];

const isWay = (value: unknown): Way | null => ways.find((way) => way.value === value)?.value ?? null;

interface PicturePairProps {
  names: readonly [string, string];
  pictures: readonly [Picture, Picture];
  /** What is told under a picture. */
  children(side: 0 | 1): ReactNode;
}

/** A picture before and after a change. */
export function PicturePair({ names, pictures, children }: PicturePairProps) {
  const [way, setWay] = useState<Way>(() => recall('pictures', isWay) ?? 'beside');
  const choose = (value: string) => {
    const next = isWay(value);
    if (next === null) return;
    setWay(next);
    remember('pictures', next);
  };
  const widest = Math.max(...pictures.map(({ width }) => width));
  return (
    <>
      <ToggleGroup.Root type="single" className="segments" aria-label="How the pictures are compared" value={way} onValueChange={choose}>
        {ways.map(({ value, label, hint }) => (
          <ToggleGroup.Item key={value} value={value} className="segment" data-hint={hint}>
            {label}
          </ToggleGroup.Item>
        ))}
      </ToggleGroup.Root>
      {way === 'swipe' && <Swipe names={names} pictures={pictures} />}
      {way === 'turns' && <InTurn names={names} pictures={pictures} />}
      <div className="bytes-sides" style={{ '--sides': 2 } as CSSProperties}>
        {([0, 1] as const).map((side) => (
          <section key={side} aria-label={names[side]}>
            <h3>{names[side]}</h3>
            {way === 'beside' && <Drawn picture={pictures[side]} name={names[side]} style={{ width: `min(${(pictures[side].width / widest) * 100}%, ${pictures[side].width}px)` }} />}
            {children(side)}
          </section>
        ))}
      </div>
    </>
  );
}

/** One picture, on squares that show through where it is clear. */
export function Drawn({ picture, name, style }: { picture: Picture; name: string; style?: CSSProperties }) {
  const [isBroken, setBroken] = useState(false);
  // The engine tells types by their first bytes, and names no others; what is drawn is kept to them here, too.
  if (isBroken || picture.data === null || !pictureTypes.includes(picture.type)) return <p className="bytes-blank soft">The picture cannot be drawn: its bytes are broken.</p>;
  return <img className="bytes-picture" src={`data:${picture.type};base64,${picture.data}`} alt={`${name}: ${picture.width} by ${picture.height} pixels`} style={style} onError={() => setBroken(true)} />;
}

type Pair = Pick<PicturePairProps, 'names' | 'pictures'>;

/** Both are drawn to one scale. */
function frameOf([before, after]: Pair['pictures']): { frame: CSSProperties; scaleOf(picture: Picture): CSSProperties } {
  const [width, height] = [Math.max(before.width, after.width), Math.max(before.height, after.height)];
  return { frame: { aspectRatio: `${width} / ${height}`, '--w': `${width}px`, '--ratio': width / height } as CSSProperties, scaleOf: (picture) => ({ width: `${(picture.width / width) * 100}%`, height: `${(picture.height / height) * 100}%` }) };
}

function Swipe({ names, pictures }: Pair) {
  const [at, setAt] = useState(50);
  const { frame, scaleOf } = frameOf(pictures);
  return (
    <div className="bytes-swipe">
      <div className="bytes-frame" style={frame}>
        <div className="bytes-layer">
          <Drawn picture={pictures[0]} name={names[0]} style={scaleOf(pictures[0])} />
        </div>
        <div className="bytes-layer" style={{ clipPath: `inset(0 0 0 ${at}%)` }}>
          <Drawn picture={pictures[1]} name={names[1]} style={scaleOf(pictures[1])} />
        </div>
        <span className="bytes-border" style={{ left: `${at}%` }} />
      </div>
      <label className="bytes-range">
        <span className="soft">{names[0]}</span>
        <input type="range" min={0} max={100} value={at} aria-label={`Border between ${names[0]} and ${names[1]}`} onChange={(event) => setAt(Number(event.currentTarget.value))} />
        <span className="soft">{names[1]}</span>
      </label>
    </div>
  );
}

function InTurn({ names, pictures }: Pair) {
  const [side, setSide] = useState<0 | 1>(0);
  const { frame, scaleOf } = frameOf(pictures);
  const other = side === 0 ? 1 : 0;
  return (
    <div className="bytes-swipe">
      <div className="bytes-frame" style={frame}>
        <div className="bytes-layer">
          <Drawn key={side} picture={pictures[side]} name={names[side]} style={scaleOf(pictures[side])} />
        </div>
      </div>
      <p className="bytes-range">
        <span role="status">{names[side]}</span>
        <button type="button" className="button" onClick={() => setSide(other)}>
          Show {names[other].toLowerCase()}
        </button>
      </p>
    </div>
  );
}
