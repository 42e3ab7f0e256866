import { useEffect, useState } from 'react';
import type { ContextAnswer, ContextCompaction, ContextSize, SessionDetail } from '@shared/model';
import { look, useRoute } from '../../app/route';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, formatShort } from '../../ui/format';
import { StateMark } from '../../ui/marks';
import { Facts, Section } from '../inspector/Section';
import { showPart } from '../timeline/session';
import { useSession } from '../timeline/state';
import { ContextChart } from './ContextChart';
import { useLens } from './lens';

/** Parts of the context listed at first, and how many more at a time, up to what one answer tells. */
const listed = 40;
const more = 200;
const most = 500;

/** What does the model see: how large it is, how it grew, what was compacted, and what it is made of. */
export function ContextTab({ detail }: { detail: SessionDetail }) {
  const place = useRoute((route) => route.lens);
  const { history, refused, reading } = useLens();
  const total = useSession((session) => session.total);
  const [count, setCount] = useState(listed);
  useEffect(() => setCount(listed), [detail.summary.id]);
  const { answer, problem } = useContextAnswer(detail, count);
  const large = history?.points.filter((point) => point.cause === 'large').sort((a, b) => b.tokens - a.tokens).slice(0, 8) ?? [];
  const compactions = history?.epochs.flatMap(({ compaction }) => (compaction ? [compaction] : [])) ?? [];
  return (
    <>
      <Section title={place.before !== null ? 'Sent next at this point' : place.branch !== null ? 'Sent next on this branch' : 'Sent next'}>
        {problem !== null ? (
          <p className="soft">{visibleControls(problem)}</p>
        ) : answer === null ? (
          <p className="soft">Being worked out.</p>
        ) : (
          <>
            <Facts
              rows={[
                ['Parts', formatCount(answer.count)],
                ['Tokens', `${answer.estimated ? '~' : ''}${formatCount(answer.tokens)}`],
                ['Last request', answer.request && <LastRequest key="request" answer={answer} />],
                ['Window', answer.window === null ? null : `${formatCount(answer.window)} tokens`],
              ]}
            />
            {place.lens !== 'model' && (
              <button type="button" className="text-button" onClick={() => look({ lens: 'model' })}>
                Show only what the model sees
              </button>
            )}
          </>
        )}
      </Section>
      <Section title="Size over the session">
        {history ? <ContextChart history={history} total={total} reading={reading} /> : <p className="soft">{refused === null ? 'Being worked out.' : visibleControls(refused)}</p>}
        {history !== null && history.pointsLeftOut > 0 && <p className="soft">{countOf(history.pointsLeftOut, 'request')} between these are not drawn.</p>}
      </Section>
      {compactions.length > 0 && (
        <Section title={countOf(compactions.length, 'compaction')}>
          <ul className="notice-list">
            {compactions.map((compaction) => (
              <CompactionLine key={compaction.part} compaction={compaction} />
            ))}
          </ul>
        </Section>
      )}
      {large.length > 0 && (
        <Section title="Largest parts">
          <ul className="size-list">
            {large.map((point) => (
              <li key={point.part}>
                <button type="button" className="text-button one-line" onClick={() => void showPart(point.index)}>
                  {visibleControls(point.label ?? 'part')}
                </button>
                <span className="number soft">{sizeWords(point)}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {answer !== null && <Made answer={answer} showMore={() => setCount(Math.min(most, count + more))} />}
    </>
  );
}

function LastRequest({ answer }: { answer: ContextAnswer }) {
  const { request, window } = answer;
  if (!request) return null;
  const share = window === null || window === 0 ? null : Math.min(1, request.tokens / window);
  return (
    <span className="context-fill" data-hint="As the provider counted it: system prompt and tool schemas included.">
      {formatCount(request.tokens)}
      {share !== null && <meter min={0} max={1} value={share} aria-label={`${Math.round(share * 100)} % of the window`} />}
    </span>
  );
}

const sizeWords = (size: ContextSize | null): string => (size === null ? 'unknown' : `${size.estimated ? '~' : ''}${formatShort(size.tokens)}`);
const triggers: Record<NonNullable<ContextCompaction['trigger']>, string> = { manual: 'by command', auto: 'automatic', overflow: 'after an overflow' };

function CompactionLine({ compaction }: { compaction: ContextCompaction }) {
  return (
    <li>
      <span className="edge-title number">
        <button type="button" className="text-button" onClick={() => void showPart(compaction.index)}>
          {sizeWords(compaction.before)} → {sizeWords(compaction.after)} tokens
        </button>
        {compaction.trigger !== null && <span className="soft">{triggers[compaction.trigger]}</span>}
      </span>
      <button type="button" className="text-button" onClick={() => useLens.setState({ compared: compaction.part })}>
        Compare the summary with what it replaced
      </button>
    </li>
  );
}

/** What the context is made of, in the order in which it is sent. */
function Made({ answer, showMore }: { answer: ContextAnswer; showMore(): void }) {
  const left = Math.min(most, answer.count) - answer.parts.length;
  return (
    <>
      <Section title={answer.count > answer.parts.length ? `First ${formatCount(answer.parts.length)} of ${countOf(answer.count, 'part')}, as sent` : 'As sent'}>
        {answer.count === 0 ? (
          <p className="soft">Nothing of this session would be sent.</p>
        ) : (
          <ol className="size-list">
            {answer.parts.map((part, at) => (
              <li key={part.id ?? at}>
                <StateMark state={part.state} seen reason={null} worded={false} />
                {part.index === null ? (
                  <span className="one-line" title={part.text?.text ?? undefined}>
                    {visibleControls(part.text?.text.slice(0, 80) ?? part.title ?? part.kind)}
                  </span>
                ) : (
                  <button type="button" className="text-button one-line" onClick={() => part.index !== null && void showPart(part.index)}>
                    {part.role === 'user' ? 'you' : part.role === 'assistant' ? 'agent' : 'system'} · {part.kind}
                    {part.title || part.words ? ` · ${visibleControls(part.title || part.words || '')}` : ''}
                    {part.output === 'cleared' ? ' (output cleared)' : ''}
                  </button>
                )}
                <span className="number soft">
                  {part.estimated ? '~' : ''}
                  {formatShort(part.tokens)}
                </span>
              </li>
            ))}
          </ol>
        )}
        {left > 0 && (
          <button type="button" className="text-button" onClick={showMore}>
            Show {formatCount(Math.min(more, left))} more
          </button>
        )}
      </Section>
      <Section title="Goes along, and is not shown">
        <ul className="notice-list">
          {answer.leftOut.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </Section>
      {answer.notes.length > 0 && (
        <Section title="How this was worked out">
          <ul className="notice-list">
            {answer.notes.map((note) => (
              <li key={note}>{visibleControls(note)}</li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

/** The context of the branch and point that are looked at; asked again when the session changes. */
function useContextAnswer(detail: SessionDetail, count: number): { answer: ContextAnswer | null; problem: string | null } {
  const { branch, before } = useRoute((route) => route.lens);
  const revision = useLens((lens) => lens.revision);
  const { id } = detail.summary;
  const [found, setFound] = useState<{ answer: ContextAnswer | null; problem: string | null }>({ answer: null, problem: null });
  useEffect(() => {
    const abort = new AbortController();
    call('context.get', { session: id, from: 0, count, words: true, ...(branch !== null && { branch }), ...(before !== null && { at: before }) }, { signal: abort.signal })
      .then((answer) => {
        if (abort.signal.aborted) return;
        if (answer === null || 'refused' in answer) setFound({ answer: null, problem: answer?.refused ?? 'The library does not have this session any more.' });
        else setFound({ answer, problem: null });
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound({ answer: null, problem: reasonOf(error) });
      });
    return () => abort.abort();
  }, [id, branch, before, revision, count]);
  return found;
}
