import type { SkippedPlace, StoreExamination } from '@shared/model';
import type { CommandContext } from '../command-context';
import { byteCount, countOf } from '../figures';
import { plainLine } from '../plain-text';
import type { ExitCode } from '../surroundings';

/** Skipped places of one store that are printed; the rest is counted. JSON has more of them. */
const skippedShown = 50;
/** Record types whose sizes are printed. */
const typesShown = 5;

/** `retrace doctor`: what was read of every store, what was not, and why. */
export async function doctor({ engine, out, json, paint }: CommandContext): Promise<ExitCode> {
  const examination = await engine.call('doctor', {});
  const { library, stores } = examination;
  const present = stores.filter((store) => store.found || store.sessions > 0 || store.problem !== null);
  if (json) {
    await out.json(examination);
  } else {
    await out.line(`${paint('bold', 'library')}  ${plainLine(library.path)}`);
    await out.line(`  ${byteCount(library.bytes)} · keeps ${byteCount(library.log.bytes)} of what was read in ${byteCount(library.log.stored)}`);
    for (const store of present) for (const line of linesOf(store, paint)) await out.line(line);
    const absent = stores.filter((store) => !present.includes(store));
    if (absent.length > 0) await out.line(paint('dim', 'not found'));
    for (const { agent, location } of absent) await out.line(paint('dim', `  ${agent}  ${plainLine(location)}`));
  }
  return present.length > 0 ? 0 : 1;
}

function* linesOf(store: StoreExamination, paint: CommandContext['paint']): Iterable<string> {
  const { agent, location, found, problem, sessions, read, skipped, skippedTotal, notices, sizes } = store;
  yield `${paint('bold', agent)}  ${plainLine(location)}${found ? '' : '  (not there any more)'}`;
  yield `  ${countOf(sessions, 'session')} · read ${countOf(read.sources, 'source')}, ${byteCount(read.bytes)}, ${countOf(read.records, 'record')}`;
  const largest = sizes.slice(0, typesShown).map(({ type, bytes }) => `${plainLine(type)} ${byteCount(bytes)}`);
  if (largest.length > 0) yield paint('dim', `  ${largest.join(' · ')}${sizes.length > typesShown ? ' · …' : ''}`);
  if (problem !== null) yield `  ${paint('red', 'problem')}: ${plainLine(problem)}`;
  for (const place of skipped.slice(0, skippedShown)) yield `  ${paint('yellow', 'skipped')}: ${plainLine(place.file)}${whereOf(place)}: ${plainLine(place.reason)}`;
  if (skippedTotal > skippedShown) yield `  and ${countOf(skippedTotal - skippedShown, 'more skipped place')}`;
  if (problem === null && skippedTotal === 0 && found) yield `  ${paint('green', 'nothing skipped')}`;
  for (const notice of notices) yield `  notice: ${plainLine(notice)}`;
}

function whereOf({ line, at, bytes }: SkippedPlace): string {
  const where = [line === null ? [] : `line ${line}`, at === null ? [] : `byte ${at}`, bytes === null ? [] : byteCount(bytes)].flat().join(', ');
  return where === '' ? '' : ` (${where})`;
}
