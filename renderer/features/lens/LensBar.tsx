import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { stateCodes } from '@shared/contract';
import type { ContextSize, SessionDetail } from '@shared/model';
import type { Lens } from '../../app/address';
import { look, useRoute } from '../../app/route';
import { formatCount, formatShort } from '../../ui/format';
import { BranchMenu } from '../compare/BranchMenu';
import { goTo, toggleInjected } from '../timeline/acts';
import { useInjected } from '../timeline/injected';
import { useSession } from '../timeline/state';
import { epochAt } from './epochs';
import { useLens } from './lens';

const lenses: { value: Lens; label: string; hint: string }[] = [
  { value: 'everything', label: 'Everything', hint: 'Every part of the session, whatever became of it.' },
  { value: 'model', label: 'Model sees', hint: 'Only what the agent would send to the model next. What it leaves out stands folded in its place.' },
  { value: 'branch', label: 'This branch', hint: 'Only the parts of one branch. Other branches stand folded where they leave it.' },
];

/** The switch over the timeline: how one looks at the session, at which branch and point, and in which epoch one reads. */
export function LensBar({ detail }: { detail: SessionDetail }) {
  const place = useRoute((route) => route.lens);
  const alone = detail.branches.length < 2;
  return (
    <div className="lens-bar" role="toolbar" aria-label="Lens">
      <ToggleGroup.Root type="single" className="segments" aria-label="Lens" value={place.lens} onValueChange={(value) => look({ lens: lenses.find((each) => each.value === value)?.value ?? place.lens })}>
        {lenses.map(({ value, label, hint }) => {
          const idle = value === 'branch' && alone;
          return (
            <ToggleGroup.Item key={value} value={value} className="segment" disabled={idle} data-hint={idle ? 'This session has one branch.' : hint}>
              {label}
            </ToggleGroup.Item>
          );
        })}
      </ToggleGroup.Root>
      {!alone && <BranchMenu detail={detail} chosen={place.branch} />}
      {place.before !== null && (
        <button type="button" className="chip" data-active onClick={() => look({ before: null })} aria-label="Back to now">
          before a message <X size={12} aria-hidden />
        </button>
      )}
      <InjectedSwitch />
      <EpochWords />
    </div>
  );
}

/** Opens or folds what the agent put in for itself; there only where there is such a thing. */
function InjectedSwitch() {
  const shown = useInjected((injected) => injected.shown);
  const any = useSession(({ outline }) => outline !== null && (outline.states.includes(stateCodes.hidden) || outline.injected.includes('1')));
  if (!any) return null;
  return (
    <button type="button" className="chip" aria-pressed={shown} data-active={shown || undefined} data-hint={`${shown ? 'Folds' : 'Opens'} what the agent put in: environment, instructions, listings.`} onClick={toggleInjected}>
      Injected
    </button>
  );
}

const sizeWords = (size: ContextSize | null): string | null => (size === null ? null : `${size.estimated ? '~' : ''}${formatShort(size.tokens)}`);

/** Which epoch one reads, and how the context grew in it. */
function EpochWords() {
  const { history, reading } = useLens();
  const found = epochAt(history, reading);
  if (!history || !found) return null;
  const total = history.epochs.length + history.epochsLeftOut;
  const { number, epoch } = found;
  const begins = sizeWords(epoch.begins);
  const ends = sizeWords(epoch.ends);
  return (
    <div className="epoch-words number" aria-live="off">
      {total > 1 && (
        <span className="epoch-number" data-past={epoch.compaction !== null || undefined}>
          epoch {formatCount(number)} of {formatCount(total)}
        </span>
      )}
      {ends !== null && (
        <span className="soft" data-hint={sizeHint(epoch.ends, history.window)}>
          {begins !== null && begins !== ends ? `${begins} → ` : ''}
          {ends}
          {history.window !== null && epoch.compaction === null ? ` of ${formatShort(history.window)}` : ''} tokens
        </span>
      )}
      {total > 1 && (
        <>
          <button type="button" className="bare-icon" aria-label="Previous compaction" data-hint="Previous compaction  [" onClick={() => goTo('compaction', -1)}>
            <ChevronUp size={14} aria-hidden />
          </button>
          <button type="button" className="bare-icon" aria-label="Next compaction" data-hint="Next compaction  ]" onClick={() => goTo('compaction', 1)}>
            <ChevronDown size={14} aria-hidden />
          </button>
        </>
      )}
    </div>
  );
}

function sizeHint(size: ContextSize | null, window: number | null): string {
  const how = size?.estimated ? 'Reckoned from characters (~): no request with a figure stands there.' : 'As the provider counted the last request, system prompt and tools included.';
  return window === null ? how : `${how} The model takes ${formatCount(window)} tokens.`;
}
