import { useCallback, useEffect, useRef } from 'react';
import type { SearchAnswer } from '@shared/contract';
import { useEngine } from '../../app/engine';
import { useLink } from '../../rpc';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { formatCount } from '../../ui/format';
import { agentNames } from '../../ui/words';
import { Hit } from './Hit';
import { openHit } from './open';
import { search, waitingForLink } from './results';

/** The middle of the page while one searches. */
export function SearchView() {
  const { query, answer, hits, current, error, busy } = search.use();
  const list = useRef<HTMLDivElement>(null);
  const open = useCallback((index: number) => {
    const hit = search.use.getState().hits[index];
    if (hit) openHit(hit);
  }, []);
  const point = useCallback((index: number) => search.choose(index), []);

  useEffect(() => {
    list.current?.querySelector(`#hit-${current}`)?.scrollIntoView({ block: 'nearest' });
  }, [current, hits]);

  const onScroll = () => {
    const element = list.current;
    if (element && element.scrollHeight - element.scrollTop - element.clientHeight < 600) search.more();
  };

  if (query.trim() === '') return <HowToSearch />;
  if (error !== null) {
    return (
      <Failed title="The search failed" again={() => search.again()}>
        {error}
      </Failed>
    );
  }
  return (
    <section className="search" aria-label="Search results">
      <h1 className="unseen">Search results</h1>
      <SearchStatus answer={answer} busy={busy} />
      {answer !== null && hits.length === 0 && !busy ? (
        <NothingFound answer={answer} />
      ) : (
        <div ref={list} id="hits" className="hits" role="listbox" aria-label="Hits" onScroll={onScroll}>
          {hits.map((hit, index) => (
            <Hit key={`${hit.part}:${hit.snippet}`} hit={hit} index={index} current={index === current} onOpen={open} onPoint={point} />
          ))}
        </div>
      )}
    </section>
  );
}

function SearchStatus({ answer, busy }: { answer: Omit<SearchAnswer, 'hits'> | null; busy: boolean }) {
  const linked = useLink((link) => link.state === 'open');
  return (
    <div className="search-status soft" role="status">
      <span className="number">
        {busy && !linked ? `${waitingForLink}${answer === null ? '' : '; these hits are of what was typed before'}` : answer === null ? (busy ? 'Searching' : '') : answer.capped ? `the ${formatCount(answer.total)} newest hits are ranked; there are more` : `${formatCount(answer.total)} ${answer.total === 1 ? 'hit' : 'hits'}${answer.inherited > 0 ? `, ${formatCount(answer.inherited)} of them inherited` : ''}`}
      </span>
      {answer?.filters.map((filter, at) => (
        <span key={at} className="chip" data-unknown={!filter.understood || undefined} data-active={filter.understood || undefined} title={filter.understood ? undefined : 'This value is not known, so the words are searched as they stand.'}>
          {filter.key}: {filter.value}
          {!filter.understood && ' (not understood)'}
        </span>
      ))}
      {answer?.indexing && <span className="search-indexing">The index is not complete yet; hits may be missing.</span>}
    </div>
  );
}

function NothingFound({ answer }: { answer: Omit<SearchAnswer, 'hits'> }) {
  const facets = useEngine((engine) => engine.facets);
  const agents = facets?.agents.map(({ agent, sessions }) => `${formatCount(sessions)} of ${agentNames[agent]}`).join(', ');
  const used = answer.filters.filter((filter) => filter.understood);
  return (
    <Blank within title="Nothing found">
      <p>
        Searched prompts, answers, reasoning, tool input and output
        {agents ? ` in all sessions: ${agents}` : ''}
        {used.length > 0 ? `, where ${used.map((filter) => `${filter.key} is ${filter.value}`).join(' and ')}` : ''}.
      </p>
      <p>Fewer words, a prefix such as <code>uplo*</code>, or no filter find more.</p>
    </Blank>
  );
}

const syntax: [string, string][] = [
  ['retry upload', 'both words, anywhere in a part'],
  ['"exit code 1"', 'the words in this order'],
  ['uplo*', 'words that begin so'],
  ['agent:claude-code', 'of one agent; also codex, opencode, aider'],
  ['project:acme', 'in a project, by name or folder'],
  ['role:user', 'what you said; also assistant, system'],
  ['tool:bash', 'input and output of a tool'],
  ['after:2026-03-01', 'and before:, by day'],
];

function HowToSearch() {
  return (
    <Blank title="Search every part of every session">
      <dl>
        {syntax.map(([example, meaning]) => (
          <div key={example} className="syntax-line">
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Blank>
  );
}
