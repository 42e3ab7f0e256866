import { randomUUID } from 'node:crypto';
import type { ImportPreview, PlanRefusal } from '@shared/model';
import type { CommandContext } from '../command-context';
import { byteCount, countOf, localTime, shortCount } from '../figures';
import { Interrupted } from '../interrupted';
import { plainLine } from '../plain-text';
import { offerPlan } from '../plan-run';
import type { ImportCommand } from '../request';
import { sentUp } from '../standard-input';
import type { ExitCode } from '../surroundings';

/** `retrace import`: looks at a file or a link, and with `--yes` takes it in. */
export async function importSession(context: CommandContext, { from, salvage, host, yes }: ImportCommand): Promise<ExitCode> {
  const { engine, stdin, out, json, paint, wait } = context;
  const run = randomUUID();
  const abort = new AbortController();
  const answer = await wait({
    work: async () => engine.call('plan.import', { from: from === '-' ? await sentUp(engine, stdin, abort.signal) : from, salvage, run, ...(host !== null && { host }) }, { signal: abort.signal }),
    follow: (show) => engine.on('plan.progress', ({ plan, says, bytesDone }) => plan === run && show(bytesDone > 0 ? `${says} · ${byteCount(bytesDone)}` : says)),
    stop: () => abort.abort(new Interrupted()),
  });
  if (answer === null || !('steps' in answer)) return refuse(context, answer ?? { refused: 'There is nothing to import.', instead: [] });
  if (!json && answer.preview) for (const line of previewLines(answer.preview, paint)) await out.line(line);
  return offerPlan(context, answer, yes);
}

/** The engine's sentence, and the options that would make it possible. */
async function refuse({ out, json, warn }: CommandContext, { refused, instead }: PlanRefusal): Promise<ExitCode> {
  const options = instead.flatMap(({ way, says }) => {
    const option = way === 'salvage' ? '--salvage' : way.startsWith('host:') ? `--allow-host ${way.slice('host:'.length)}` : null;
    return option === null ? [] : [{ option, says }];
  });
  if (json) await out.json({ error: refused, candidates: [], instead: options });
  for (const line of [refused, ...options.map(({ option, says }) => `${option}: ${says}`)]) warn(plainLine(line));
  return 1;
}

/** What comes along with a session: a rollout brings those it builds on. */
const othersAre: Partial<Record<ImportPreview['agent'], string>> = { aider: 'other run', codex: 'other session' };

function* previewLines({ kind, from, agent, title, directory, models, created, updated, counts, tokens, compactions, others, files, damage, bytes, known, live }: ImportPreview, paint: CommandContext['paint']): Iterable<string> {
  yield `${paint('bold', plainLine(title ?? 'no title'))}  ${agent}`;
  yield `  ${kind} ${plainLine(from)}`;
  yield `  ${created === null && updated === null ? 'no time recorded' : `${localTime(created)} to ${localTime(updated)}`}${directory === null ? '' : `  ${plainLine(directory)}`}${models.length === 0 ? '' : `  ${models.map(plainLine).join(', ')}`}`;
  const facts = [
    counts && `${countOf(counts.messages, 'message')} (${countOf(counts.user, 'prompt')}, ${countOf(counts.assistant, 'reply', 'replies')}, ${countOf(counts.toolCalls, 'tool call')})`,
    files === null ? null : `${countOf(files, 'file')} changed`,
    tokens && `${shortCount(tokens.input)} tokens in, ${shortCount(tokens.output)} out`,
    compactions > 0 ? countOf(compactions, 'compaction') : null,
    others > 0 ? countOf(others, othersAre[agent] ?? 'subagent') : null,
    byteCount(bytes),
  ];
  yield `  ${facts.filter((fact) => fact !== null).join(' · ')}`;
  if (damage > 0) yield `  ${paint('red', `${countOf(damage, 'place')} could not be read`)}`;
  if (known) yield `  imported before as ${plainLine(known.session)}: that import is replaced`;
  if (live !== null) yield `  ${agent} has it here, too: ${plainLine(live)}`;
}
