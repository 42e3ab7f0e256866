import { show, useRoute } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { hush, useJournal } from './journal';

/** Said from the start on while a write waits to be settled: what is so, and the way to it. */
export function JournalNotice() {
  const { lists, hushed } = useJournal();
  const inJournal = useRoute(({ view }) => view.kind === 'journal');
  const open = lists?.unsettled.entries.filter(({ id }) => !hushed.has(id)) ?? [];
  const [first] = open;
  if (!first || inJournal) return null;
  return (
    <p className="link-notice journal-notice" role="alert">
      <span>
        {first.state === 'interrupted' ? 'A write was interrupted and is half done' : 'A write is not settled'}: {visibleControls(first.title)}
        {open.length > 1 && `, and ${open.length - 1} more`}.
      </span>
      <button type="button" className="button" onClick={() => show({ kind: 'journal', entry: first.id })}>
        Look at it
      </button>
      <button type="button" className="button bare" onClick={() => hush(open)}>
        Later
      </button>
    </p>
  );
}
