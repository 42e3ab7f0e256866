import { useState } from 'react';
import type { ComparedSide, ComparedTurn, Comparison, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, formatClock, formatCount } from '../../ui/format';
import { quoted } from './words';

/** Pairs drawn before one asks for the rest. */
const pairsDrawn = 50;

/** The turns of both, in order: the first of one beside the first of the other. */
export function Turns({ a, b, turns, leftOut }: { a: ComparedSide; b: ComparedSide; turns: Comparison['turns']; leftOut: number }) {
  const [all, setAll] = useState(false);
  const drawn = all ? turns : turns.slice(0, pairsDrawn);
  return (
    <section className="compare-part" aria-labelledby="compare-turns">
      <h2 id="compare-turns">
        Turns <span className="soft number">{formatCount(a.turns)} and {formatCount(b.turns)}</span>
      </h2>
      <ol className="compare-turns">
        {drawn.map((pair, at) => (
          <li key={at} className="compare-columns">
            <Turn side="A" session={a.session} turn={pair.a} />
            <Turn side="B" session={b.session} turn={pair.b} />
          </li>
        ))}
      </ol>
      {drawn.length < turns.length && (
        <button type="button" className="text-button" onClick={() => setAll(true)}>
          Show {formatCount(turns.length - drawn.length)} more
        </button>
      )}
      {leftOut > 0 && all && <p className="soft">and {countOf(leftOut, 'more pair', 'more pairs')} of turns</p>}
    </section>
  );
}

function Turn({ side, session, turn }: { side: string; session: SessionId; turn: ComparedTurn | null }) {
  if (turn === null) return <div className="compare-turn" data-empty />;
  const { part, prompt, time, toolCalls, failed, files, filesLeftOut, lastWords } = turn;
  const facts = [toolCalls > 0 ? countOf(toolCalls, 'tool call') : '', ...files.map(visibleControls), filesLeftOut > 0 ? `${formatCount(filesLeftOut)} more files` : ''].filter(Boolean);
  return (
    <div className="compare-turn">
      <button type="button" className="text-button compare-prompt" onClick={() => show({ kind: 'session', session, part })}>
        <span className="unseen">{side}: </span>
        {prompt === null ? 'goes on with the turn' : visibleControls(prompt)}
      </button>
      <span className="soft number">
        {formatClock(time)}
        {facts.length > 0 && ` · ${facts.join(' · ')}`}
        {failed > 0 && <span className="compare-failed"> · {formatCount(failed)} failed</span>}
      </span>
      {lastWords !== null && <span className="compare-answer">{quoted(lastWords)}</span>}
    </div>
  );
}
