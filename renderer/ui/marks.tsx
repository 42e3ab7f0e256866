import type { Agent, ContextState } from '@shared/model';
import { useNow } from './clock';
import { formatAgo, formatExact } from './format';
import { StateSign } from './signs';
import { agentLetters, agentNames, signOf, stateSentences, stateWords } from './words';

/** Two letters in the agent's hue; of an imported session also whose transcript it is. */
export function AgentMark({ agent, writtenBy = agent }: { agent: Agent; writtenBy?: Agent }) {
  const words = writtenBy === agent ? agentNames[agent] : `Imported, a transcript of ${agentNames[writtenBy]}`;
  return (
    <span className="agent-mark" data-agent={agent} title={words}>
      <span aria-hidden>{agentLetters[agent]}</span>
      <span className="unseen">{words}</span>
    </span>
  );
}

/** What has become of a part for the model: sign, word for screen readers, and the sentence that says why. */
export function StateMark({ state, seen, reason, worded }: { state: ContextState; seen: boolean; reason: string | null; worded: boolean }) {
  const sign = signOf(state, seen);
  const why = reason ?? stateSentences[sign];
  return (
    <span className="state-mark" data-state={sign} data-hint={`${stateWords[sign]}: ${why}`}>
      <StateSign state={sign} />
      {worded && sign !== 'live' ? <span>{stateWords[sign]}</span> : <span className="unseen">{stateWords[sign]}</span>}
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
