import { Dialog, Tabs } from 'radix-ui';
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { asPartId, type ContextEpoch, type ContextLosses, type LostItem, type PartView, type SessionId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { kindWords } from '../../ui/words';
import { Prose } from '../timeline/parts/Prose';
import { showPart } from '../timeline/session';
import { useSession } from '../timeline/state';
import { useLens } from './lens';

/** A summary beside what it stands for, and what of that it does not name. */
export function CompareSheet() {
  const { compared, history } = useLens();
  const session = useSession(({ id }) => id);
  const epoch = history?.epochs.find(({ compaction }) => compaction?.part === compared || compaction?.summaries.some(({ part }) => part === compared));
  const close = () => useLens.setState({ compared: null });
  const go = (index: number) => {
    close();
    void showPart(index);
  };
  return (
    <Dialog.Root open={compared !== null && session !== null} onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="sheet" aria-describedby={undefined}>
          <header>
            <Dialog.Title>Summary and what it replaced</Dialog.Title>
            <Dialog.Close className="bare-icon" aria-label="Close">
              <X size={14} aria-hidden />
            </Dialog.Close>
          </header>
          {session !== null && compared !== null && (epoch ? <Comparison session={session} epoch={epoch} go={go} /> : <p className="soft sheet-note">This compaction is not on the branch that is shown.</p>)}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Comparison({ session, epoch, go }: { session: SessionId; epoch: ContextEpoch; go(index: number): void }) {
  const summaries = epoch.compaction?.summaries ?? [];
  return (
    <div className="sheet-columns">
      <section aria-label="Summary" tabIndex={0}>
        <h3>Summary</h3>
        {summaries.length === 0 ? <p className="soft">The agent kept no readable summary.</p> : <Stretch session={session} from={summaries[0]?.index ?? 0} to={(summaries.at(-1)?.index ?? 0) + 1} whole go={go} />}
      </section>
      <section aria-label="What it replaced" tabIndex={0}>
        <Tabs.Root defaultValue="lost">
          <Tabs.List className="tab-list" aria-label="What it replaced">
            <Tabs.Trigger value="lost" className="tab">
              Not named in it
            </Tabs.Trigger>
            <Tabs.Trigger value="all" className="tab">
              All it replaced
            </Tabs.Trigger>
          </Tabs.List>
          <Tabs.Content value="lost">{epoch.compaction && <Losses session={session} part={epoch.compaction.part} go={go} />}</Tabs.Content>
          <Tabs.Content value="all">
            <Stretch session={session} from={epoch.from} to={epoch.compaction?.index ?? epoch.to} go={go} />
          </Tabs.Content>
        </Tabs.Root>
      </section>
    </div>
  );
}

const kinds: { kind: LostItem['kind']; title: string }[] = [
  { kind: 'file', title: 'Files' },
  { kind: 'command', title: 'Commands' },
  { kind: 'decision', title: 'Decisions' },
];

function Losses({ session, part, go }: { session: SessionId; part: string; go(index: number): void }) {
  const [found, setFound] = useState<ContextLosses | string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    call('context.losses', { session, part: asPartId(part) }, { signal: abort.signal })
      .then((answer) => !abort.signal.aborted && setFound(answer === null ? 'The library does not have this session any more.' : 'refused' in answer ? answer.refused : answer))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setFound(reasonOf(error));
      });
    return () => abort.abort();
  }, [session, part]);
  if (found === null) return <p className="soft sheet-note">Reading what it replaced.</p>;
  if (typeof found === 'string') return <p className="soft sheet-note">{visibleControls(found)}</p>;
  return (
    <>
      {kinds.map(({ kind, title }) => {
        const { total, kept } = found.found[kind];
        const lost = found.lost.filter((item) => item.kind === kind);
        return (
          <section key={kind} className="facts">
            <h4>
              {title} <span className="soft number">{total === 0 ? 'none found' : `${formatCount(kept)} of ${formatCount(total)} named`}</span>
            </h4>
            <ul className="size-list">
              {lost.map((item) => (
                <li key={item.text}>
                  <button type="button" className="text-button break" onClick={() => go(item.index)}>
                    {kind === 'decision' ? visibleControls(item.text) : <code>{visibleControls(item.text)}</code>}
                  </button>
                  {item.times > 1 && <span className="soft number">{formatCount(item.times)}×</span>}
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {found.lostLeftOut > 0 && <p className="soft">and {formatCount(found.lostLeftOut)} more</p>}
      {found.notLooked > 0 && <p className="soft">{countOf(found.notLooked, 'earlier part')} of the stretch were not looked at.</p>}
      <details className="soft">
        <summary>How this was found</summary>
        {found.how.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </details>
    </>
  );
}

/** Parts read at once. */
const windowSize = 60;

/** A stretch of the session: whole texts, or a line a part that leads to it. */
function Stretch({ session, from, to, whole, go }: { session: SessionId; from: number; to: number; whole?: boolean; go(index: number): void }) {
  const [parts, setParts] = useState<PartView[] | null>(null);
  const [shown, setShown] = useState(windowSize);
  const [problem, setProblem] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const end = Math.min(to, from + shown);
  useEffect(() => {
    const abort = new AbortController();
    const have = parts?.length ?? 0;
    if (ended || from + have >= end) return undefined;
    call('session.parts', { session, from: from + have, count: Math.min(200, end - from - have) }, { signal: abort.signal })
      .then((answer) => {
        if (abort.signal.aborted) return;
        // A session that shrank meanwhile has no more to give.
        if (!answer || answer.parts.length === 0) setEnded(true);
        setParts([...(parts ?? []), ...(answer?.parts ?? [])]);
      })
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setProblem(reasonOf(error));
      });
    return () => abort.abort();
  }, [session, from, end, parts, ended]);
  if (problem !== null) return <p className="soft sheet-note">{visibleControls(problem)}</p>;
  if (parts === null) return <p className="soft sheet-note">Reading.</p>;
  return (
    <>
      {whole ? (
        parts.map((part) => part.text && <Prose key={part.id} part={part.id} clipped={part.text} />)
      ) : (
        <ol className="size-list">
          {parts.filter(({ kind }) => kind !== 'step').map((part) => (
            <li key={part.id}>
              <button type="button" className="text-button one-line" onClick={() => go(part.index)}>
                <span className="soft">{part.message.role === 'user' ? 'you' : part.message.role === 'assistant' ? 'agent' : 'system'}</span>{' '}
                {visibleControls(`${part.tool?.name ?? (part.kind === 'text' ? '' : kindWords[part.kind])} ${part.tool?.target ?? part.text?.text.slice(0, 160) ?? part.title ?? ''}`.trim())}
              </button>
            </li>
          ))}
        </ol>
      )}
      {end < to && !ended && (
        <button type="button" className="text-button" onClick={() => setShown(shown + windowSize)}>
          Show more of {countOf(to - from, 'part')}
        </button>
      )}
    </>
  );
}
