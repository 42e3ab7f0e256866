import { agentNames, type ClassCount, type ContextState, type ExportScope, type FindingClass, type PartView, type RedactionCount, type SessionDetail, type Tokens } from '@shared/model';

/** Sentences and figures that readable exports have in common. */

const classWords: Record<FindingClass, [one: string, many: string]> = {
  secret: ['secret', 'secrets'], home: ['home folder', 'home folders'], mail: ['mail address', 'mail addresses'], word: ['chosen word', 'chosen words'],
};

export const count = (number: number, one: string, many = `${one}s`): string => `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;

/** `2 mail addresses`; a class of a file from elsewhere may be one that this Retrace does not know. */
export const countOfClass = (name: string, findings: number): string => Object.hasOwn(classWords, name) ? count(findings, ...classWords[name as FindingClass]) : count(findings, 'other value');

const classes = (counts: readonly ClassCount[]): string =>
  counts.map(({ class: kind, findings, places }) => `${count(findings, ...classWords[kind])} in ${count(places, 'place')}`).join(', ');

/** What the reader of an export is told of what is not there. */
export function maskedSentence({ applied, masked, kept }: RedactionCount): string {
  if (!applied) return 'Nothing was masked.';
  const found = masked.length === 0 ? 'Nothing to mask was found.' : `Masked: ${classes(masked)}.`;
  return kept.length === 0 ? found : `${found} Left as it is: ${classes(kept)}.`;
}

export function scopeSentence(scope: ExportScope): string | null {
  switch (scope.kind) {
    case 'whole':
      return null;
    case 'branch':
      return scope.branch === 'current' ? 'The current branch only.' : `Branch ${scope.branch} only.`;
    case 'turns': {
      const turns = scope.from === scope.to ? `Turn ${scope.from} only` : `Turns ${scope.from} to ${scope.to} only`;
      return scope.branch === null ? `${turns}.` : `${turns}, on branch ${scope.branch}.`;
    }
  }
}

/** `2026-11-29 15:31 UTC`; a local time without a zone has none. */
export function moment(iso: string | null): string | null {
  return iso === null ? null : `${iso.slice(0, 16).replace('T', ' ')}${iso.endsWith('Z') ? ' UTC' : ''}`;
}

const stateWords: Record<ContextState, string> = {
  'off-branch': 'on a branch that is not the current one', reverted: 'taken back', pending: 'not seen by the model yet', compacted: 'a summary stands for it', cleared: 'dropped from what the model gets',
  summary: 'stands for what was compacted', hidden: 'put in by the agent', live: '',
};

/** Why a part is not plainly part of the conversation; empty for most. */
export const stateOf = ({ state, injected }: PartView): string => (state === 'live' ? (injected ? 'put in by the agent' : '') : stateWords[state]);

export const agentName = (agent: string): string => (agentNames as Record<string, string>)[agent] ?? agent;

export function speaker(part: PartView): string {
  const { role, model, agentName: name } = part.message;
  if (part.injected) return 'Put in by the agent';
  if (role === 'user') return 'You';
  if (role === 'system') return 'System';
  return [name ?? 'Assistant', ...(model === null ? [] : [model])].join(' · ');
}

/** What the facts at the head are made of: a session's detail also names all its messages. */
export const headOf = ({ summary, agentVersion, models, worktree }: SessionDetail): Head => ({ summary, agentVersion, models, worktree });
type Head = Pick<SessionDetail, 'summary' | 'agentVersion' | 'models' | 'worktree'>;

/** The facts at the head of a readable export. */
export function headFacts({ summary, agentVersion, models, worktree }: Head): [name: string, value: string][] {
  const { writtenBy, directory, project, gitBranch, created, updated, counts, tokens, source, id, parent } = summary;
  const times = [moment(created), moment(updated)].filter((time) => time !== null);
  const facts: [string, string | null][] = [
    ['Agent', [agentName(writtenBy) + (agentVersion === null ? '' : ` ${agentVersion}`), ...models].join(' · ')],
    ['Project', directory === null ? project : `${project} · ${directory}`],
    ['Git branch', worktree?.branch ?? gitBranch],
    ['Time', times.length === 0 ? null : [...new Set(times)].join(' to ')],
    ['Size', counts && `${count(counts.messages, 'message')}, ${count(counts.toolCalls, 'tool call')}`],
    ['Tokens', tokens && tokensOf(tokens)],
    ['From', parent && `${parent.kind} of ${parent.id}`],
    ['Session', `${id}${source === 'gone' ? ' · gone from its store' : ''}`],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '');
}

const tokensOf = ({ input, output, reasoning, cacheRead, cacheWrite }: Tokens): string =>
  [[input, 'in'], [output, 'out'], [reasoning, 'reasoning'], [cacheRead, 'read from cache'], [cacheWrite, 'written to cache']]
    .filter(([tokens]) => tokens !== 0)
    .map(([tokens, word]) => `${(tokens as number).toLocaleString('en-US')} ${word}`)
    .join(', ');

/** `Bash · npm test`: what a folded step says. */
export const toolTitle = ({ tool, title }: PartView): string => [tool?.name ?? 'tool', tool?.target ?? title].filter((word, at) => word != null && word !== '' && (at === 0 || word !== tool?.name)).join(' · ').replace(/\s+/g, ' ').slice(0, 300);

/** `exit 1 · 1.2 s`; what is as usual is not said. */
export function toolOutcome({ tool }: PartView): string {
  if (!tool) return '';
  return [
    tool.status === 'completed' ? null : tool.status, tool.exitCode === null || tool.exitCode === 0 ? null : `exit ${tool.exitCode}`,
    tool.durationMs === null || tool.durationMs < 100 ? null : `${(tool.durationMs / 1000).toFixed(1)} s`,
  ].filter((word) => word !== null).join(' · ');
}
