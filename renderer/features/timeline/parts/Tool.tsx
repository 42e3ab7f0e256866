import { Bot, CircleHelp, FilePen, FilePlus2, FileText, Globe, ListChecks, Map as PlanIcon, Plug, Search, SquareTerminal, Wrench, type LucideIcon } from 'lucide-react';
import type { PartView, ToolFamily, ToolView } from '@shared/model';
import { visibleControls } from '../../../ui/controls';
import { stripTerminal } from '../text/ansi';
import { isPlain } from '../text/markdown';
import { languageOfPath } from '../text/highlight';
import { useSession } from '../state';
import { Edits } from './Edits';
import { Fold } from './Fold';
import { isFailed, ToolMeta } from './Meta';
import { LongText } from './LongText';
import { Pictures } from './Picture';
import { Prose } from './Prose';
import { type DrawPart, Subagent } from './Subagent';
import { TodoList } from './TodoList';

const icons: Record<ToolFamily, LucideIcon> = {
  shell: SquareTerminal, read: FileText, write: FilePlus2, edit: FilePen, search: Search, todo: ListChecks, subagent: Bot, web: Globe, question: CircleHelp, plan: PlanIcon, mcp: Plug, other: Wrench,
};

interface ToolProps {
  part: PartView;
  tool: ToolView;
  open: boolean;
  Draw: DrawPart;
}

/** A step of the agent: one line until it is opened; a failed one says why without that. */
export function Tool({ part, tool, open, Draw }: ToolProps) {
  const Icon = icons[tool.family];
  const failed = isFailed(tool);
  const directory = useSession((session) => session.detail?.summary.directory ?? null);
  const told = tool.target ?? part.title;
  // Some tools have nothing to name but themselves.
  const target = told === tool.name ? null : told;
  return (
    <>
      <Fold
        part={part.id}
        open={open}
        icon={<Icon size={14} />}
        label={tool.name}
        {...(target ? { target: <code title={target}>{visibleControls(insideOf(target, directory).replace(/\s+/g, ' '))}</code> } : {})}
        meta={<ToolMeta tool={tool} />}
        {...(failed ? { tone: 'danger' as const } : {})}
      >
        {tool.note !== null && <p className="soft">{tool.note}</p>}
        <ToolBody part={part} tool={tool} Draw={Draw} />
        <Pictures part={part.id} images={tool.images} first={0} />
      </Fold>
      {failed && !open && <div className="step-why one-line">{whyFailed(tool)}</div>}
    </>
  );
}

/** A path inside the session's folder is told from there; the whole stands on hover. */
const insideOf = (target: string, directory: string | null): string => (directory !== null && target.startsWith(`${directory}/`) ? target.slice(directory.length + 1) : target);

/** The line that most likely says what went wrong: a note of the reader, else the last line of the output. */
function whyFailed(tool: ToolView): string {
  const lines = stripTerminal(tool.output?.text ?? '').split('\n').map((line) => line.trim()).filter(Boolean);
  return visibleControls(tool.note ?? lines.find((line) => /error|denied|not found|failed|fatal/i.test(line)) ?? lines.at(-1) ?? 'No reason was recorded.');
}

function ToolBody({ part, tool, Draw }: Omit<ToolProps, 'open'>) {
  switch (tool.family) {
    case 'shell':
      return (
        <>
          <Input part={part} tool={tool} language="bash" label="Command" />
          <Output part={part} tool={tool} terminal />
        </>
      );
    case 'read':
      return <Output part={part} tool={tool} {...(tool.target ? { language: languageOfPath(tool.target) } : {})} />;
    case 'write':
    case 'edit':
      return tool.edits.length > 0 ? (
        <>
          <Edits part={part} tool={tool} />
          {isFailed(tool) && <Output part={part} tool={tool} />}
        </>
      ) : (
        <>
          <Input part={part} tool={tool} language={tool.family === 'write' ? null : 'json'} label="Input" />
          <Output part={part} tool={tool} />
        </>
      );
    case 'todo':
      return tool.todos.length > 0 ? <TodoList todos={tool.todos} /> : <InputAndOutput part={part} tool={tool} />;
    case 'subagent':
      return (
        <>
          <Started part={part} tool={tool} Draw={Draw} />
          <Input part={part} tool={tool} language={null} label="Task" />
          <Answer part={part} tool={tool} />
        </>
      );
    case 'web':
    case 'question':
    case 'plan':
      return (
        <>
          <WebLink target={tool.target} />
          <Input part={part} tool={tool} language="json" label="Input" />
          <Answer part={part} tool={tool} />
        </>
      );
    case 'search':
      return (
        <>
          <Input part={part} tool={tool} language="json" label="Search" />
          <Output part={part} tool={tool} />
        </>
      );
    case 'mcp':
    case 'other':
      return <InputAndOutput part={part} tool={tool} />;
  }
}

/** The session a step started: its result names it, or the session's own records do while there is no result. */
function Started({ part, tool, Draw }: Omit<ToolProps, 'open'>) {
  const named = useSession(({ detail }) => detail?.edges.find((edge) => edge.kind === 'subagent' && edge.part === part.id)?.child ?? null);
  const child = tool.child ?? named;
  return child === null ? null : <Subagent child={child} Draw={Draw} />;
}

function InputAndOutput({ part, tool }: { part: PartView; tool: ToolView }) {
  return (
    <>
      <Input part={part} tool={tool} language="json" label="Input" />
      <Output part={part} tool={tool} />
      {tool.edits.length > 0 && <Edits part={part} tool={tool} />}
    </>
  );
}

function Input({ part, tool, language, label }: { part: PartView; tool: ToolView; language: string | null; label: string }) {
  if (!tool.input || tool.input.total === 0) return null;
  return (
    <section className="tool-side">
      <h4>{label}</h4>
      <LongText part={part.id} side="input" clipped={tool.input} language={language} label={label} />
    </section>
  );
}

function Output({ part, tool, terminal = false, language = null }: { part: PartView; tool: ToolView; terminal?: boolean; language?: string | null }) {
  if (!tool.output) return <p className="soft">No output was recorded.</p>;
  if (tool.output.total === 0) return <p className="soft">The output is empty.</p>;
  return (
    <section className="tool-side">
      <h4>
        Output
        {tool.exitCode !== null && <span className="soft"> · exit {tool.exitCode}</span>}
        {part.state === 'cleared' && <span className="soft"> · no longer sent to the model</span>}
      </h4>
      <LongText part={part.id} side="output" clipped={tool.output} terminal={terminal} language={language} label="Output" />
    </section>
  );
}

/** An answer in prose: of a helper, a page that was fetched, a person. */
function Answer({ part, tool }: { part: PartView; tool: ToolView }) {
  if (!tool.output || tool.output.total === 0 || tool.output.gap || isPlain(tool.output.text)) return <Output part={part} tool={tool} />;
  return (
    <section className="tool-side">
      <h4>Answer</h4>
      <Prose part={part.id} clipped={tool.output} />
    </section>
  );
}

function WebLink({ target }: { target: string | null }) {
  if (target === null || !/^https?:\/\//i.test(target)) return null;
  return (
    <a href={target} target="_blank" rel="noreferrer" className="one-line">
      {visibleControls(target)}
    </a>
  );
}
