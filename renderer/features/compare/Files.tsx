import type { ChangedFile, ComparedFile, ComparedSide, SessionId } from '@shared/model';
import { show } from '../../app/route';
import { visibleControls } from '../../ui/controls';
import { countOf, shortenMiddle } from '../../ui/format';
import { linesOf } from './words';

/** Files that differ on either side from where the two part, what both changed first. */
export function Files({ a, b, files, leftOut }: { a: ComparedSide; b: ComparedSide; files: ComparedFile[]; leftOut: number }) {
  const both = files.filter((file) => file.a && file.b).length;
  return (
    <section className="compare-part" aria-labelledby="compare-files">
      <h2 id="compare-files">
        Files changed <span className="soft number">{files.length === 0 ? 'none' : `${countOf(files.length + leftOut, 'file')}${both > 0 ? `, ${both} of them by both` : ''}`}</span>
      </h2>
      {files.length > 0 && (
        <table className="compare-files">
          <thead>
            <tr>
              <th scope="col">File</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.path}>
                <th scope="row" title={visibleControls(file.path)}>
                  <code>{visibleControls(shortenMiddle(file.path, 60))}</code>
                </th>
                <Change session={a.session} file={file.a} />
                <Change session={b.session} file={file.b} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {leftOut > 0 && <p className="soft">and {countOf(leftOut, 'more file')}</p>}
    </section>
  );
}

function Change({ session, file }: { session: SessionId; file: ChangedFile | null }) {
  if (file === null) return <td className="soft">–</td>;
  return (
    <td>
      <button type="button" className="text-button number" onClick={() => show({ kind: 'session', session, part: file.part })}>
        {linesOf(file) || 'changed'}
      </button>
    </td>
  );
}
