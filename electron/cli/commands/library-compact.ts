import type { CompactionProgress } from '@shared/model';
import type { CommandContext } from '../command-context';
import { byteCount } from '../figures';
import type { ExitCode } from '../surroundings';

/** `retrace library compact`: with a line of progress where a person waits; Ctrl-C leaves the library as it was. */
export async function compactLibrary({ engine, out, warn, json, wait }: CommandContext, dryRun: boolean): Promise<ExitCode> {
  if (dryRun) {
    const { compaction } = await engine.call('library.keep', {});
    if (json) await out.json(compaction);
    else await out.line(`${byteCount(compaction.free)} of the file ${compaction.free === 0 ? 'hold' : 'holds'} nothing. ${compaction.refusal ?? `${byteCount(compaction.needed)} of room are needed while it is compacted${compaction.available === null ? '' : `, ${byteCount(compaction.available)} are there`}.`}`);
    return compaction.refusal === null ? 0 : 1;
  }
  const outcome = await wait({
    work: () => engine.call('library.compact', {}),
    follow: (show) => engine.on('library.compaction', ({ progress }) => progress && show(progressLine(progress))),
    stop: () => void engine.call('library.compactCancel', {}),
  });
  if (json) await out.json(outcome);
  else if (outcome.done) await out.line(`Compacted: ${byteCount(outcome.before)} → ${byteCount(outcome.after)}`);
  if (outcome.refusal !== null) warn(outcome.refusal);
  if (outcome.cancelled) warn('Stopped. The library is as it was.');
  return outcome.done ? 0 : outcome.cancelled ? 130 : 1;
}

function progressLine({ phase, done, total }: CompactionProgress): string {
  const share = total > 0 ? ` · ${Math.min(99, Math.floor((done / total) * 100))} % of ${byteCount(total)}` : '';
  return { words: 'Joining the search index…', copy: 'Copying without gaps', write: 'Writing back' }[phase] + share;
}
