import { memo, type Ref } from 'react';
import type { ContextState, PartKind, PartView, PlacedDamage, Role } from '@shared/model';
import { formatClock, formatExact } from '../../ui/format';
import { StateMark } from '../../ui/marks';
import { kindWords } from '../../ui/words';
import { Divide } from '../compare/Divide';
import { openOnEnter, selectPart } from './acts';
import { DamageLines } from './DamageLines';
import { DiagnosisLines } from './DiagnosisLines';
import { isFoldedText } from './drawing';
import { PartBody } from './parts/PartBody';
import { RawRecord } from './parts/RawRecord';
import { rowStyle } from './row-style';

interface PartRowProps {
  row: number;
  part: PartView;
  /** What became of it at the branch and point that are looked at; null: it comes after the point, or is not known yet. */
  state: ContextState | null;
  /** It is in what the model would get next, at that branch and point. */
  seen: boolean;
  /** The epoch it lies in, as its band is drawn. */
  band: string | null;
  total: number;
  /** Who spoke before: a name stands only where the speaker changes. */
  before: Role | null;
  /** What could not be read between this part and the one before. */
  damage: readonly PlacedDamage[];
  /** What could not be read behind the last part; this is it. */
  damageBehind: readonly PlacedDamage[];
  current: boolean;
  open: boolean;
  raw: boolean;
  top: number;
  measure: Ref<HTMLElement>;
}

const names: Record<Role, string> = { user: 'you', assistant: 'agent', system: 'system' };

/** What somebody said or did; a notice or a border stands for itself. */
const spokenKinds = new Set<PartKind>(['text', 'reasoning', 'tool', 'command', 'file', 'patch']);
export const isSpoken = (part: PartView): boolean => spokenKinds.has(part.kind) && part.message.role !== 'system' && !isFoldedText(part);

/** True for the person's own words: they open a turn. */
const isPrompt = (part: PartView): boolean => part.message.role === 'user' && (part.kind === 'text' || part.kind === 'command') && !isFoldedText(part);

/** One part of the timeline: who, what, and what has become of it for the model. */
export const PartRow = memo(function PartRow({ row, part, state, seen, band, total, before, damage, damageBehind, current, open, raw, top, measure }: PartRowProps) {
  const role = part.message.role;
  const named = isSpoken(part) && (before !== role || (isPrompt(part) && part.opensMessage));
  const who = role === 'assistant' && part.message.agentName ? part.message.agentName : names[role];
  return (
    <article
      ref={measure}
      className="part"
      style={rowStyle(top)}
      data-index={row}
      data-at={part.index}
      data-part={part.id}
      data-kind={part.kind}
      data-state={state ?? part.state}
      data-unsent={!seen || undefined}
      data-band={band ?? undefined}
      data-prompt={isPrompt(part) || undefined}
      data-current={current || undefined}
      aria-posinset={part.index + 1}
      aria-setsize={total}
      aria-label={`${names[role]}, ${kindWords[part.kind]}`}
      tabIndex={current ? 0 : -1}
      onPointerDown={() => selectPart(part.index)}
      onFocus={() => selectPart(part.index)}
      onKeyDown={openOnEnter}
    >
      <DamageLines damage={damage} />
      <div className="part-who">
        {named && (
          <span className="one-line" title={part.message.model ?? undefined}>
            {who}
          </span>
        )}
        {isPrompt(part) && part.opensMessage && (
          <time className="number" dateTime={part.time ?? undefined} title={formatExact(part.time)}>
            {formatClock(part.time)}
          </time>
        )}
      </div>
      <div className="part-body">
        {part.index === 0 && <Divide after={-1} />}
        <PartBody part={part} open={open} />
        <DiagnosisLines diagnoses={part.diagnoses} />
        {raw && <RawRecord part={part.id} bytes={part.bytes} />}
        <Divide after={part.index} />
      </div>
      <div className="part-mark">
        {/* The reason that is told is that of the present. */}
        <StateMark state={state ?? part.state} seen={seen} reason={state === null || state === part.state ? part.reason : null} worded />
      </div>
      <DamageLines damage={damageBehind} />
    </article>
  );
});
