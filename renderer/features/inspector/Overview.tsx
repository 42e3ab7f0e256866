import { useMemo } from 'react';
import type { SessionDetail, SessionId } from '@shared/model';
import { contextStates } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, formatMinute } from '../../ui/format';
import { StateMark } from '../../ui/marks';
import { diagnosisWords, type PartSign } from '../../ui/words';
import { actOn } from '../plans/acts';
import { openForget } from '../settings/keeping';
import { goTo } from '../timeline/acts';
import { whereOf } from '../timeline/damage';
import { countLandmarks, countStates } from '../timeline/outline';
import { showPart } from '../timeline/session';
import { useSession } from '../timeline/state';
import { Imported } from './Imported';
import { Facts, Section } from './Section';

const conditions: Record<SessionDetail['condition'], string> = {
  finished: 'finished', interrupted: 'interrupted: the last reply has no end', recovered: 'recovered: damage or a gap was bridged',
};

/** Counts, tokens, condition, and what could not be read. */
export function Overview({ detail }: { detail: SessionDetail }) {
  const { summary } = detail;
  const { counts, tokens } = summary;
  const outline = useSession((session) => session.outline);
  const landmarks = useMemo(() => (outline ? countLandmarks(outline) : null), [outline]);
  return (
    <>
      <Section title="Session">
        <Facts
          rows={[
            ['Condition', conditions[detail.condition]],
            ['Created', formatMinute(summary.created)],
            ['Updated', formatMinute(summary.updated)],
            ['Program', detail.agentVersion && `version ${detail.agentVersion}`],
            ['Models', detail.models.length > 0 ? detail.models.map(visibleControls).join(', ') : summary.model],
            ['Source', summary.source === 'gone' ? <GoneSource key="source" id={summary.id} title={summary.title} /> : null],
            ['Id', <code key="id" className="break">{summary.nativeId}</code>],
            ['Store', <code key="store" className="break">{detail.storeFolder}</code>],
            ...detail.alsoIn.map((place): [string, React.ReactNode] => ['Also in', <code key={place} className="break">{place}</code>]),
          ]}
        />
      </Section>
      <Imported detail={detail} />
      <Section title="Counts">
        {counts ? (
          <Facts
            rows={[
              ['Prompts', formatCount(counts.user)],
              ['Replies', formatCount(counts.assistant)],
              ['Tool calls', formatCount(counts.toolCalls)],
              ['Parts', formatCount(counts.parts)],
              ['Failed steps', landmarks && landmarks.errors > 0 ? <LandmarkLink key="errors" count={landmarks.errors} go={() => goTo('error', 1)} /> : null],
              ['Compactions', summary.compactions > 0 ? <LandmarkLink key="compactions" count={summary.compactions} go={() => goTo('compaction', 1)} /> : null],
            ]}
          />
        ) : (
          <p className="soft">Counted when the index has read this session.</p>
        )}
      </Section>
      <Section title="Tokens">
        {tokens ? (
          <Facts
            rows={[
              ['Fresh input', formatCount(tokens.input)],
              ['Output', formatCount(tokens.output)],
              ['Reasoning', tokens.reasoning > 0 ? formatCount(tokens.reasoning) : null],
              ['Cache read', tokens.cacheRead > 0 ? formatCount(tokens.cacheRead) : null],
              ['Cache write', tokens.cacheWrite > 0 ? formatCount(tokens.cacheWrite) : null],
            ]}
          />
        ) : (
          <p className="soft">{counts ? 'The agent recorded no tokens.' : 'Counted when the index has read this session.'}</p>
        )}
      </Section>
      <States />
      <Notices detail={detail} />
    </>
  );
}

/** What only the library has can be forgotten here. */
function GoneSource({ id, title }: { id: SessionId; title: string | null }) {
  return (
    <>
      gone; only the library has it{' '}
      <button type="button" className="text-button" onClick={() => actOn({ id, title }, 'restore')}>
        Bring back…
      </button>{' '}
      <button type="button" className="text-button" onClick={() => openForget({ kind: 'sessions', sessions: [id] }, title ?? 'this session')}>
        Forget…
      </button>
    </>
  );
}

function LandmarkLink({ count, go }: { count: number; go(): void }) {
  return (
    <button type="button" className="text-button" onClick={go}>
      {formatCount(count)}
    </button>
  );
}

const partSigns: readonly PartSign[] = [...contextStates, 'not sent'];

/** The marks of the timeline, each with its word and how many parts have it. */
function States() {
  const outline = useSession((session) => session.outline);
  const states = useMemo(() => (outline ? countStates(outline) : new Map<PartSign, number>()), [outline]);
  if (states.size === 0) return null;
  return (
    <Section title="Parts for the model">
      <ul className="legend">
        {partSigns
          .filter((sign) => states.has(sign))
          .map((sign) => (
            <li key={sign}>
              <StateMark state={sign === 'not sent' ? 'live' : sign} seen={sign !== 'not sent'} reason={null} worded={sign !== 'not sent'} />
              {sign === 'live' && <span className="soft">live, sent</span>}
              {sign === 'not sent' && <span className="soft">live, not sent</span>}
              <span className="number">{formatCount(states.get(sign) ?? 0)}</span>
            </li>
          ))}
      </ul>
    </Section>
  );
}

/** A list this long says what kind of thing happens; the rest is counted. */
const listed = 100;

function Notices({ detail }: { detail: SessionDetail }) {
  const { damage, diagnoses, notices } = detail;
  const total = useSession((session) => session.total);
  // Damage behind the last part is drawn with it.
  const go = (index: number) => void showPart(Math.max(0, Math.min(index, total - 1)));
  return (
    <>
      {diagnoses.length > 0 && (
        <Section title={countOf(diagnoses.length, 'diagnosis', 'diagnoses')}>
          <ul className="notice-list">
            {diagnoses.slice(0, listed).map((each) => (
              <li key={`${each.part} ${each.class}`}>
                <button type="button" className="text-button" onClick={() => go(each.index)}>
                  {diagnosisWords[each.class]}
                </button>
                <span>{visibleControls(each.text)}</span>
                <span className="soft">{visibleControls(each.evidence)}</span>
              </li>
            ))}
          </ul>
          {diagnoses.length > listed && <p className="soft">and {formatCount(diagnoses.length - listed)} more: e goes to the next</p>}
        </Section>
      )}
      {damage.length > 0 && (
        <Section title={countOf(damage.length, 'damaged place')}>
          <ul className="notice-list">
            {damage.slice(0, listed).map((each, at) => (
              <li key={at}>
                <button type="button" className="text-button" title="Go to its place in the timeline" disabled={total === 0} onClick={() => go(each.before)}>
                  <code className="break">{visibleControls(each.place)}</code>
                </button>
                <span className="soft number">{whereOf(each)}</span>
                <span>{visibleControls(each.reason)}</span>
              </li>
            ))}
          </ul>
          {damage.length > listed && <p className="soft">and {formatCount(damage.length - listed)} more</p>}
        </Section>
      )}
      {notices.length > 0 && (
        <Section title="Notices">
          <ul className="notice-list">
            {notices.slice(0, listed).map((notice, at) => (
              <li key={at}>{visibleControls(notice.text)}</li>
            ))}
          </ul>
          {notices.length > listed && <p className="soft">and {formatCount(notices.length - listed)} more</p>}
        </Section>
      )}
    </>
  );
}
