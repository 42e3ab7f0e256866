import type { Agent, ContextState } from '@shared/model';
import { useNow } from './clock';
import { formatAgo, formatExact } from './format';
import { StateSign } from './signs';
import { agentLetters, agentNames, stateSentences, stateWords } from './words';

/** Two letters in the agent's hue. */
export function AgentMark({ agent }: { agent: Agent }) {
  return (
    <span className="agent-mark" data-agent={agent} title={agentNames[agent]}>
      <span aria-hidden>{agentLetters[agent]}</span>
      <span className="unseen">{agentNames[agent]}</span>
    </span>
  );
}

/** What has become of a part for the model: sign, word for screen readers, and the sentence that says why. */
export function StateMark({ state, reason, worded }: { state: ContextState; reason: string | null; worded: boolean }) {
  const why = reason ?? stateSentences[state];
  return (
    <span className="state-mark" data-state={state} data-hint={`${stateWords[state]}: ${why}`}>
      <StateSign state={state} />
      {worded && state !== 'live' ? <span>{stateWords[state]}</span> : <span className="unseen">{stateWords[state]}</span>}
      <span className="unseen">. {why}</span>
    </span>
  );
}

/** How long ago, exact on hover. */
export function Ago({ time }: { time: string | null }) {
  const now = useNow((clock) => clock.now);
  if (time === null) return null;
  return (
    <time className="number soft" dateTime={time} title={formatExact(time)}>
      {formatAgo(time, now)}
    </time>
  );
}
