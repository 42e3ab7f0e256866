import type { CompactionProgress, CompactionView } from '@shared/model';
import { formatBytes } from '../../ui/format';
import { compact, stopCompaction, useKeeping } from './keeping';

const phases: Record<CompactionProgress['phase'], string> = { words: 'Joining the search index', copy: 'Copying without gaps', write: 'Writing back' };

/** Makes the file as small as what it holds: what it needs, how far it is, and why it cannot be done. */
export function Compaction({ view }: { view: CompactionView }) {
  const running = useKeeping((state) => state.compaction);
  return (
    <section className="settings-part" aria-label="Compact">
      <h2>Compact</h2>
      {running ? <Running progress={running} /> : <Ready view={view} />}
    </section>
  );
}

function Ready({ view: { free, needed, available, refusal } }: { view: CompactionView }) {
  return (
    <>
      <p className="soft">
        {free === 0 ? 'No page of the file is free.' : `${formatBytes(free)} of the file are free.`} What was forgotten stays in the file until it is compacted. It needs {formatBytes(needed)} of room while it runs
        {available === null ? '' : `; ${formatBytes(available)} are there`}.
      </p>
      {refusal !== null && (
        <p className="settings-problem" role="note">
          {refusal}
        </p>
      )}
      <button type="button" className="button settings-own" disabled={refusal !== null} onClick={() => void compact()}>
        Compact the library
      </button>
    </>
  );
}

function Running({ progress: { phase, done, total } }: { progress: CompactionProgress }) {
  const stopping = useKeeping((state) => state.stopping);
  const percent = total > 0 ? Math.floor((done / total) * 100) : 0;
  return (
    <div className="settings-running">
      <span role="status">{stopping ? 'Stopping after this step' : phases[phase]}</span>
      <span className="bar" role="progressbar" aria-label={phases[phase]} aria-valuemin={0} aria-valuemax={100} {...(phase === 'write' && { 'aria-valuenow': percent })}>
        <span style={{ width: `${phase === 'write' ? percent : 0}%` }} />
      </span>
      <button type="button" className="button" disabled={stopping} onClick={stopCompaction}>
        Cancel
      </button>
    </div>
  );
}
