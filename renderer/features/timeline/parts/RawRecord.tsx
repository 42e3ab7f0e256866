import { useEffect, useState } from 'react';
import type { PartId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../../rpc';
import { formatBytes, formatCount } from '../../../ui/format';
import { visibleControls } from '../../../ui/controls';
import { toggleRawOf } from '../acts';

/** Characters of a record shown at once; more on demand. */
const stretch = 100_000;

type Record = { text: string; total: number } | { problem: string } | null;

/** The record a part came from, as the agent wrote it. */
export function RawRecord({ part, bytes }: { part: PartId; bytes: number }) {
  const [record, setRecord] = useState<Record>(null);
  const [formatted, setFormatted] = useState(true);
  const [wanted, setWanted] = useState(stretch);

  useEffect(() => {
    const abort = new AbortController();
    call('part.text', { part, side: 'raw', from: 0, count: wanted }, { signal: abort.signal })
      .then((window) => setRecord(window ? { text: window.text, total: window.total } : { problem: 'The library does not have it.' }))
      .catch((error: unknown) => {
        if (!abort.signal.aborted && !isAbandoned(error)) setRecord({ problem: reasonOf(error) });
      });
    return () => abort.abort();
  }, [part, wanted]);

  const whole = record !== null && 'text' in record && record.text.length >= record.total;
  const pretty = record !== null && 'text' in record && whole ? prettyLines(record.text) : null;
  return (
    <section className="raw" aria-label="Raw record">
      <header>
        <span>Raw record</span>
        <span className="soft number">{formatBytes(bytes)}</span>
        {pretty !== null && (
          <button type="button" className="text-button" onClick={() => setFormatted(!formatted)}>
            {formatted ? 'As stored' : 'With line breaks'}
          </button>
        )}
        <button type="button" className="text-button raw-close" onClick={() => toggleRawOf(part)}>
          Close
        </button>
      </header>
      {record === null && <p className="soft">Reading the record</p>}
      {record !== null && 'problem' in record && <p className="soft">The record could not be read: {record.problem}</p>}
      {record !== null && 'text' in record && (
        <pre tabIndex={0} role="region" aria-label="Record">
          {visibleControls(formatted && pretty !== null ? pretty : record.text)}
        </pre>
      )}
      {record !== null && 'text' in record && !whole && (
        <button type="button" className="long-gap" onClick={() => setWanted(Math.min(1_000_000, wanted * 3))} disabled={wanted >= 1_000_000}>
          {wanted >= 1_000_000 ? `${formatCount(record.total - record.text.length)} more characters are not shown` : `Show more of ${formatCount(record.total)} characters`}
        </button>
      )}
    </section>
  );
}

/** Each line of JSON with its own line breaks; null when there is nothing to gain or it is no JSON. */
function prettyLines(text: string): string | null {
  try {
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.stringify(JSON.parse(line), null, 2))
      .join('\n\n');
  } catch {
    return null;
  }
}
