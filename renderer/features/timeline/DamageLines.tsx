import { TriangleAlert } from 'lucide-react';
import type { PlacedDamage } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf } from '../../ui/format';
import { damageDrawn, whereOf } from './damage';

/** Places that could not be read, drawn where they lie between the parts. */
export function DamageLines({ damage }: { damage: readonly PlacedDamage[] }) {
  if (damage.length === 0) return null;
  return (
    <div className="part-damage">
      {damage.slice(0, damageDrawn).map((each, at) => (
        <DamageLine key={at} damage={each} />
      ))}
      {damage.length > damageDrawn && <p className="damage-line soft">and {countOf(damage.length - damageDrawn, 'more damaged place')} here; the inspector names them</p>}
    </div>
  );
}

function DamageLine({ damage }: { damage: PlacedDamage }) {
  const where = whereOf(damage);
  // The byte is for who looks into the file.
  const short = whereOf(damage.line === null ? damage : { ...damage, at: null });
  const place = visibleControls(damage.place);
  return (
    // Its file may be too long for the line: it is said on focus.
    <p className="damage-line" role="note" tabIndex={0} data-hint={`${place}${where === '' ? '' : `, ${where}`}: ${visibleControls(damage.reason)}`}>
      <TriangleAlert size={13} aria-hidden />
      <span className="damage-word">damaged</span>
      {short !== '' && <span className="number soft">{short}</span>}
      <span>{visibleControls(damage.reason)}</span>
      <code className="damage-place one-line soft">{place}</code>
    </p>
  );
}
