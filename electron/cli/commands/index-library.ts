import type { IndexOutcome, StoreStatus } from '@shared/contract';
import type { CommandContext } from '../command-context';
import { byteCount, countOf } from '../figures';
import { plainLine } from '../plain-text';
import type { ExitCode } from '../surroundings';

/** Damaged places of one store that are printed; the rest is counted. */
const damageShown = 10;

/** `retrace index`: what the pass did that has just run, and what the library has now. */
export async function indexLibrary({ engine, out, json, paint }: CommandContext, outcome: IndexOutcome): Promise<ExitCode> {
  const { library, stores } = await engine.call('engine.info', {});
  const found = stores.filter((store) => store.found);
  const sum = (figure: (store: StoreStatus) => number) => stores.reduce((all, store) => all + figure(store), 0);
  const sessions = sum((store) => store.sessions);
  const damage = sum((store) => store.damaged);
  if (json) {
    await out.json({
      ...outcome, stores: found.length, sessions, damage, library,
      places: stores.map(({ damage: _, damaged, ...store }) => ({ ...store, damage: damaged })),
    });
  } else {
    const { sourcesChanged, bytesRead, recordsProjected, partsWritten } = outcome;
    const read = `${countOf(sourcesChanged, 'source')} (${byteCount(bytesRead)}): ${countOf(recordsProjected, 'record')}, ${countOf(partsWritten, 'part')}`;
    await out.line(sourcesChanged === 0 ? 'Nothing new.' : `Read ${read}.${outcome.cancelled ? ' Stopped before the end; the next pass goes on from here.' : ''}`);
    await out.line(`The library has ${countOf(sessions, 'session')} of ${countOf(found.length, 'store')}: ${library}`);
    for (const store of found) {
      await out.line(`  ${store.agent}  ${countOf(store.sessions, 'session')}  ${plainLine(store.folder)}`);
      for (const { place, line, at, bytes, reason } of store.damage.slice(0, damageShown)) {
        const where = [line === null ? [] : `line ${line}`, at === null ? [] : `byte ${at}`, bytes === null ? [] : byteCount(bytes)].flat().join(', ');
        await out.line(`    ${paint('yellow', 'damaged')}: ${plainLine(place)}${where === '' ? '' : ` (${where})`}: ${plainLine(reason)}`);
      }
      if (store.damaged > damageShown) await out.line(`    and ${store.damaged - damageShown} more damaged places`);
    }
  }
  return outcome.cancelled ? 130 : 0;
}
