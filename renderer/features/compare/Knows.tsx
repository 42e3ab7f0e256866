import type { ComparedSide, KnownItem } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';

const kinds: { kind: KnownItem['kind']; title: string }[] = [
  { kind: 'file', title: 'Files' },
  { kind: 'command', title: 'Commands' },
  { kind: 'decision', title: 'Decisions' },
];

/** What each side tells of and the other does not. */
export function Knows({ a, b, how }: { a: ComparedSide; b: ComparedSide; how: string[] }) {
  return (
    <section className="compare-part" aria-labelledby="compare-knows">
      <h2 id="compare-knows">What the other does not know</h2>
      <div className="compare-columns">
        <OneSide name="A" other="B" side={a} />
        <OneSide name="B" other="A" side={b} />
      </div>
      <details className="soft compare-how">
        <summary>How this was found</summary>
        {how.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </details>
    </section>
  );
}

function OneSide({ name, other, side }: { name: string; other: string; side: ComparedSide }) {
  const { session, knows, knowsLeftOut, notLooked } = side;
  return (
    <section className="compare-knows" aria-label={`${name} knows, ${other} does not`}>
      <h3>Known to {name} alone</h3>
      {knows.length === 0 && <p className="soft">{name} tells of nothing that {other} does not.</p>}
      {kinds.map(({ kind, title }) => {
        const items = knows.filter((item) => item.kind === kind);
        if (items.length === 0) return null;
        return (
          <section key={kind}>
            <h4 className="soft">
              {title} <span className="number">{formatCount(items.length)}</span>
            </h4>
            <ul className="size-list">
              {items.map((item) => (
                <li key={item.text}>
                  <button type="button" className="text-button break" onClick={() => show({ kind: 'session', session, part: item.part })}>
                    {kind === 'decision' ? visibleControls(item.text) : <code>{visibleControls(item.text)}</code>}
                  </button>
                  {item.times > 1 && <span className="soft number">{formatCount(item.times)}×</span>}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {knowsLeftOut > 0 && <p className="soft">and {formatCount(knowsLeftOut)} more</p>}
      {notLooked > 0 && <p className="soft">{countOf(notLooked, 'earlier part')} were not looked at.</p>}
    </section>
  );
}
