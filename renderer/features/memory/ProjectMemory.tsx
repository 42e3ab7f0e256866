import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import type { InstructionFile, MemoryFile, MemoryFolder, ProjectMemory as Known } from '@shared/model';
import { show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount } from '../../ui/format';
import { AgentMark } from '../../ui/marks';
import { CallList } from './Calls';
import { divisionWords, FileText } from './FileText';
import { InstructionList } from './Instructions';
import { kindWords, loadedWords, sizeWords } from './words';

/** What is remembered for one project: its memory file by file, and the instructions that its sessions recorded. */
export function ProjectMemory({ known }: { known: Known }) {
  const { folders, instructions, instructionsTotal } = known;
  return (
    <>
      {folders.length === 0 && instructions.length === 0 && <Blank title="Nothing is remembered for this project">No agent wrote memory for it, and no session recorded instructions.</Blank>}
      {folders.map((folder) => (
        <Folder key={folder.path} folder={folder} />
      ))}
      {instructions.length > 0 && <Recorded files={instructions} total={instructionsTotal} />}
    </>
  );
}

function Folder({ folder }: { folder: MemoryFolder }) {
  const { agent, kind, copy, path, sharedWith, files, filesTotal, shell, shellTotal } = folder;
  const plan = kind === 'notepads' ? (files[0]?.plan ?? null) : null;
  return (
    <section className="memory-part" aria-label={`${kindWords[kind]} in ${path}`}>
      <h2>
        <AgentMark agent={agent} />
        <span>{plan === null ? kindWords[kind] : `Notepads of plan ${visibleControls(plan.name)}`}</span>
        {copy === 'frozen' && (
          <span className="badge" data-hint="The plugin copied these files to its newer folder and left them here as they were." tabIndex={0}>
            frozen copy
          </span>
        )}
        <code className="soft break">{visibleControls(path)}</code>
      </h2>
      {plan !== null && <PlanLink plan={plan} />}
      {sharedWith.length > 0 && (
        <p className="memory-note" role="note">
          Other projects have the same folder, and so the same memory:{' '}
          {sharedWith.map(({ key, name }, at) => (
            <span key={key}>
              {at > 0 && ', '}
              <button type="button" className="text-button" title={key} onClick={() => show({ kind: 'memory', project: key })}>
                {visibleControls(name)}
              </button>
            </span>
          ))}
        </p>
      )}
      {files.length === 0 && <p className="soft">The folder holds no file.</p>}
      {files.map((file) => (
        <File key={file.id} file={file} />
      ))}
      {filesTotal > files.length && <p className="soft">and {countOf(filesTotal - files.length, 'more file')}</p>}
      {shell.length > 0 && (
        <>
          <h3>Commands that named this folder</h3>
          <p className="soft">What they did to it is not recorded.</p>
          <CallList calls={shell} total={shellTotal} named />
        </>
      )}
    </section>
  );
}

/** To the plan in the view of works; nothing where no plan of the name is known. */
function PlanLink({ plan: { name, item } }: { plan: NonNullable<MemoryFile['plan']> }) {
  if (item === null) return null;
  return (
    <p className="memory-facts">
      <button type="button" className="text-button" onClick={() => show({ kind: 'work', project: null, plan: item })}>
        Plan {visibleControls(name)} in Work
      </button>
    </p>
  );
}

/** The index stands open, topic files are opened: so they are loaded by the program too. */
function File({ file }: { file: MemoryFile }) {
  const [open, setOpen] = useState(file.role === 'index');
  const { calls, callsTotal, damage } = file;
  return (
    <section className="memory-file" aria-label={file.name}>
      <h3>
        <button type="button" className="memory-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
          <ChevronRight size={14} aria-hidden data-open={open || undefined} />
          <span className="one-line">{visibleControls(file.name)}</span>
          <span className="soft">{file.role}</span>
          {file.state === 'gone' && <span className="badge" data-tone="attention">file gone</span>}
        </button>
      </h3>
      <p className="memory-facts soft number">{[sizeWords(file), loadedWords(file), divisionWords(file)].filter(Boolean).join(' · ')}</p>
      {damage.map((place, at) => (
        <p key={at} className="memory-note" data-tone="attention" role="note">
          {visibleControls(place.reason)}
        </p>
      ))}
      {file.role === 'draft' && file.plan !== null && <PlanLink plan={file.plan} />}
      {open && <FileText file={file} />}
      {open && calls.length > 0 && (
        <details className="memory-calls">
          <summary>{countOf(callsTotal, 'call')} that touched it</summary>
          <CallList calls={calls} total={callsTotal} named />
        </details>
      )}
    </section>
  );
}

function Recorded({ files, total }: { files: InstructionFile[]; total: number }) {
  return (
    <section className="memory-part" aria-label="Instructions that sessions recorded">
      <h2>Instructions that sessions recorded</h2>
      <InstructionList files={files} />
      {total > files.length && <p className="soft">and {formatCount(total - files.length)} more</p>}
      <p className="soft">
        As they were put before the model then; the files may have changed since.
      </p>
    </section>
  );
}
