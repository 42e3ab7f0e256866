import { useEffect, useState } from 'react';
import type { KeepRule as Rule } from '@shared/model';
import { isAbandoned, reasonOf } from '../../rpc';
import { countOf, formatBytes, formatMinute } from '../../ui/format';
import { visibleControls } from '../../ui/controls';
import { openForget, previewRule, setRule } from './keeping';

/** Milliseconds without a key before it is asked what a rule would let go. */
const pause = 250;

/** How long sessions are kept whose source is gone. What would be due is shown before the rule is set, and nothing goes by itself. */
export function KeepRule({ rule }: { rule: Rule }) {
  const [forEver, setForEver] = useState(rule.days === null);
  const [text, setText] = useState(String(rule.days ?? 90));
  const days = forEver ? null : /^\d{1,5}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
  const changed = days !== undefined && days !== rule.days;
  const preview = usePreview(changed ? days : undefined);
  return (
    <section className="settings-part" aria-label="How long">
      <h2>How long</h2>
      <p className="soft">Of sessions whose agent still has them nothing is ever dropped. Sessions whose source is gone are kept:</p>
      <form
        className="settings-rule"
        onSubmit={(event) => {
          event.preventDefault();
          if (days !== undefined) void setRule(days);
        }}
      >
        <label>
          <input type="radio" name="rule" checked={forEver} onChange={() => setForEver(true)} /> for ever
        </label>
        <label>
          <input type="radio" name="rule" checked={!forEver} onChange={() => setForEver(false)} /> for so many days after that was seen:
        </label>
        <input className="settings-days number" aria-label="Days" inputMode="numeric" value={text} disabled={forEver} aria-invalid={days === undefined} onChange={(event) => setText(event.target.value)} />
        <button type="submit" className="button" disabled={!changed}>
          Set the rule
        </button>
      </form>
      {days === undefined && (
        <p className="settings-problem" role="alert">
          Write a number of days from 1 to 99999.
        </p>
      )}
      {changed && (
        <p role="status">
          {preview === null ? <span className="soft">Looking at what would be due.</span> : typeof preview === 'string' ? preview : <>With this rule {dueWords(preview)}. Nothing goes before you say so.</>}
        </p>
      )}
      {!changed && rule.days !== null && <Due rule={rule} />}
    </section>
  );
}

const dueWords = ({ due, held }: Rule): string =>
  `${due.sessions === 0 ? 'no session is due now' : `${countOf(due.sessions, 'session is', 'sessions are')} due now, ${formatBytes(due.stored)} of the log`}${held > 0 ? `; ${countOf(held, 'more')} over time stay, since others descend from them or lie in one file with them` : ''}`;

function Due({ rule }: { rule: Rule }) {
  const { due } = rule;
  return (
    <>
      <p role="status">
        {dueWords(rule).replace(/^./, (letter) => letter.toUpperCase())}. Due sessions stay until they are dropped here.
      </p>
      {due.sessions > 0 && (
        <>
          <ul className="settings-list settings-sessions">
            {due.named.slice(0, 20).map(({ id, title, project, goneSince }) => (
              <li key={id}>
                <span className="one-line">{visibleControls(title ?? 'no title')}</span>
                <span className="soft one-line">{visibleControls(project)}</span>
                <span className="soft number">gone since {formatMinute(goneSince)}</span>
              </li>
            ))}
          </ul>
          {due.sessions > 20 && <p className="soft">and {countOf(due.sessions - 20, 'more session')}</p>}
          <button type="button" className="button settings-own" onClick={() => openForget({ kind: 'due' }, countOf(due.sessions, 'due session'))}>
            Drop {countOf(due.sessions, 'session')}…
          </button>
        </>
      )}
    </>
  );
}

/** What a rule would let go; null while that is looked at, a sentence when it could not be. */
function usePreview(days: number | null | undefined): Rule | string | null {
  const [found, setFound] = useState<Rule | string | null>(null);
  useEffect(() => {
    setFound(null);
    if (days === undefined) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      previewRule(days, abort.signal)
        .then((rule) => !abort.signal.aborted && setFound(rule))
        .catch((error: unknown) => !abort.signal.aborted && !isAbandoned(error) && setFound(reasonOf(error)));
    }, pause);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [days]);
  return found;
}
