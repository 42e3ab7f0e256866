import type { Damage, PlacedDamage, SessionDetail } from '@shared/model';
import { formatBytes, formatCount } from '../../ui/format';

/** Places of damage drawn one by one where several lie between the same two parts; the rest is counted. */
export const damageDrawn = 5;

const nothing: readonly PlacedDamage[] = [];
const kept = new WeakMap<PlacedDamage[], Map<number, PlacedDamage[]>>();

/** By the part they stand before; made once for a session, since every row asks. */
function placesOf(damage: PlacedDamage[]): Map<number, PlacedDamage[]> {
  const known = kept.get(damage);
  if (known) return known;
  const places = new Map<number, PlacedDamage[]>();
  for (const each of damage) {
    const there = places.get(each.before);
    if (there) there.push(each);
    else places.set(each.before, [each]);
  }
  kept.set(damage, places);
  return places;
}

/** The damage between a part and the one before it. */
export const damageBefore = (detail: SessionDetail | null, index: number): readonly PlacedDamage[] => (detail && detail.damage.length > 0 ? (placesOf(detail.damage).get(index) ?? nothing) : nothing);

/** The damage before the parts of a run that are drawn as one line. */
export function damageInRun(detail: SessionDetail | null, start: number, length: number): readonly PlacedDamage[] {
  if (!detail || detail.damage.length === 0) return nothing;
  return detail.damage.filter(({ before }) => before >= start && before < start + length);
}

/** Line, byte and size of a damaged place, as far as known. */
export const whereOf = (damage: Damage): string =>
  [damage.line === null ? '' : `line ${formatCount(damage.line)}`, damage.at === null ? '' : `byte ${formatCount(damage.at)}`, damage.bytes === null ? '' : formatBytes(damage.bytes)].filter(Boolean).join(', ');
