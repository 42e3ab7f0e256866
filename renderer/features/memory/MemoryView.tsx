import type { MemoryProject } from '@shared/model';
import { useEngine } from '../../app/engine';
import { leaveAside, show } from '../../app/route';
import { Blank } from '../../ui/Blank';
import { Failed } from '../../ui/Failed';
import { visibleControls } from '../../ui/controls';
import { countOf, formatBytes, formatCount, shortenMiddle, tildePath } from '../../ui/format';
import { Ago } from '../../ui/marks';
import { useAnswer } from './answer';
import { ProjectMemory } from './ProjectMemory';

/** The middle of the page while one asks what is remembered beyond sessions. */
export function MemoryView({ project }: { project: string | null }) {
  return project === null ? <Projects /> : <OneProject key={project} project={project} />;
}

function Projects() {
  const { answer, error, again } = useAnswer('memory.list', {});
  const running = useEngine((engine) => engine.progress?.running === true);
  if (error !== null) return <Failed title="Memory could not be read" again={again}>{error}</Failed>;
  if (answer === undefined) return <Blank title="Looking for memory" />;
  if (answer.length === 0) {
    return (
      <Blank
        title={running ? 'No memory so far' : 'No memory yet'}
        action={
          <button type="button" className="button" onClick={leaveAside}>
            Close
          </button>
        }
      >
        {running
          ? 'The library is being brought up to date; what is found comes here.'
          : 'Claude Code writes memory into a folder beside a project’s sessions, and OMO keeps notepads in the project; none was found, and no session recorded instruction files.'}
      </Blank>
    );
  }
  return (
    <section className="memory" aria-label="Memory">
      <Head title="Memory that outlives sessions" status={`${countOf(answer.length, 'project')} with memory or recorded instructions.`} />
      <table className="memory-projects">
        <thead>
          <tr>
            <th scope="col">Project</th>
            <th scope="col" className="memory-figure">Files</th>
            <th scope="col" className="memory-figure">Size</th>
            <th scope="col" className="memory-figure">Writes</th>
            <th scope="col">Marks</th>
            <th scope="col" className="memory-figure">Instructions</th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {answer.map((project) => (
            <ProjectRow key={project.key} project={project} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function ProjectRow({ project }: { project: MemoryProject }) {
  const home = useEngine((engine) => engine.info?.home ?? null);
  const { key, name, folder, files, gone, bytes, writes, rewound, sessionGone, instructions, changed } = project;
  return (
    <tr>
      <th scope="row">
        <button type="button" className="text-button" onClick={() => show({ kind: 'memory', project: key })}>
          {visibleControls(name)}
        </button>
        {folder !== null && <span className="memory-folder soft" title={folder}>{visibleControls(shortenMiddle(tildePath(folder, home), 48))}</span>}
      </th>
      <td className="memory-figure number">{files > 0 || gone > 0 ? formatCount(files) : ''}</td>
      <td className="memory-figure number">{files > 0 ? formatBytes(bytes) : ''}</td>
      <td className="memory-figure number">{writes > 0 ? formatCount(writes) : ''}</td>
      <td className="memory-tones">
        {rewound > 0 && <span>{formatCount(rewound)} rewound</span>}
        {sessionGone > 0 && <span>{countOf(sessionGone, 'session gone', 'of sessions gone')}</span>}
        {gone > 0 && <span>{countOf(gone, 'file')} gone</span>}
      </td>
      <td className="memory-figure number">{instructions > 0 ? formatCount(instructions) : ''}</td>
      <td><Ago time={changed} /></td>
    </tr>
  );
}

function OneProject({ project }: { project: string }) {
  const { answer, error, again } = useAnswer('memory.of', { project });
  if (error !== null) return <Failed title="Memory could not be read" again={again}>{error}</Failed>;
  if (answer === undefined) return <Blank title="Looking at what is remembered" />;
  if (answer === null) {
    return (
      <Blank title="No such project" action={<AllProjects />}>
        The library knows no project of this address, or nothing of it is remembered.
      </Blank>
    );
  }
  const files = answer.folders.reduce((sum, folder) => sum + folder.filesTotal, 0);
  return (
    <section className="memory" aria-label="Memory">
      <Head
        title={visibleControls(answer.name)}
        folder={answer.folder}
        status={`${files === 0 ? 'No memory file' : countOf(files, 'memory file')}, ${countOf(answer.instructionsTotal, 'instruction file')} recorded by sessions.`}
        all
      />
      <ProjectMemory known={answer} />
    </section>
  );
}

function Head({ title, folder = null, status, all = false }: { title: string; folder?: string | null; status: string; all?: boolean }) {
  return (
    <header className="memory-head">
      <div>
        <h1>{title}</h1>
        {folder !== null && <code className="soft break">{visibleControls(folder)}</code>}
        <p role="status">{status}</p>
      </div>
      <span className="memory-acts">
        {all && <AllProjects />}
        <button type="button" className="button" onClick={leaveAside}>
          Close
        </button>
      </span>
    </header>
  );
}

function AllProjects() {
  return (
    <button type="button" className="button" onClick={() => show({ kind: 'memory', project: null })}>
      All projects
    </button>
  );
}
