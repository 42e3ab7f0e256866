import { Brain, FileDiff, Info, Paperclip, SquareTerminal, TriangleAlert } from 'lucide-react';
import type { PartView } from '@shared/model';
import { formatBytes, formatCount } from '../../../ui/format';
import { visibleControls } from '../../../ui/controls';
import { foldPart } from '../acts';
import { isFoldedText, isLongPrompt } from '../drawing';
import { useSession } from '../state';
import { Fold } from './Fold';
import { Compaction } from './Compaction';
import { LongText } from './LongText';
import { Picture } from './Picture';
import { Prose } from './Prose';
import { Tool } from './Tool';

/** A part, drawn by its kind. */
export function PartBody({ part, open }: { part: PartView; open: boolean }) {
  switch (part.kind) {
    case 'text':
      return <TextPart part={part} open={open} />;
    case 'reasoning':
      return <FoldedText part={part} open={open} label="Reasoning" icon={<Brain size={14} />} />;
    case 'tool':
      return part.tool ? <Tool part={part} tool={part.tool} open={open} Draw={PartBody} /> : <NoBody part={part} />;
    case 'file':
      return <FilePart part={part} />;
    case 'patch':
      return <FoldedText part={part} open={open} label="Files changed" icon={<FileDiff size={14} />} />;
    case 'compaction':
    case 'summary':
      return <Compaction part={part} open={open} />;
    case 'command':
      return <CommandPart part={part} open={open} />;
    case 'notice':
      return <NoticePart part={part} open={open} />;
    case 'step':
      return <StepPart part={part} />;
  }
}

/** Where a request to the model began or ended. */
function StepPart({ part }: { part: PartView }) {
  const words = visibleControls(part.title ?? part.text?.text ?? 'step');
  return (
    <div className="step-part" data-hint={words}>
      <span className="unseen">{words}</span>
    </div>
  );
}

function NoBody({ part }: { part: PartView }) {
  return <p className="soft part-lost">{part.title ? visibleControls(part.title) : 'The text of this part could not be read.'}</p>;
}

function TextPart({ part, open }: { part: PartView; open: boolean }) {
  if (isFoldedText(part)) return <FoldedText part={part} open={open} label={part.injected ? 'Put in by the agent' : 'System'} icon={<Info size={14} />} />;
  if (!part.text) return <NoBody part={part} />;
  if (part.message.role !== 'user') return <Prose part={part.id} clipped={part.text} />;
  return <Prompt part={part} open={open} />;
}

/** The person's words, as they were typed. */
function Prompt({ part, open }: { part: PartView; open: boolean }) {
  if (!part.text) return <NoBody part={part} />;
  const long = isLongPrompt(part.text);
  return (
    <div className="prompt">
      <div className="prompt-text" data-clamped={(long && !open) || undefined}>
        {part.text.gap ? <LongText part={part.id} side="text" clipped={part.text} label="Prompt" /> : visibleControls(part.text.text)}
      </div>
      {long && (
        <button type="button" className="text-button" tabIndex={-1} onClick={() => foldPart(part.id, !open)}>
          {open ? 'Show less' : part.text.lines > 1 ? `Show all ${formatCount(part.text.lines)} lines` : 'Show the whole line'}
        </button>
      )}
    </div>
  );
}

const firstLine = (text: string): string => text.slice(0, 400).replace(/\s+/g, ' ').trim();

/** Paths inside the session's folder are told from there. */
const fromFolder = (text: string, directory: string | null): string => (directory === null ? text : text.replaceAll(`${directory}/`, ''));

function FoldedText({ part, open, label, icon }: { part: PartView; open: boolean; label: string; icon: React.ReactNode }) {
  const directory = useSession((session) => session.detail?.summary.directory ?? null);
  const words = part.text?.text ?? part.title ?? '';
  return (
    <Fold
      part={part.id}
      open={open}
      icon={icon}
      label={label}
      tone="soft"
      target={visibleControls(firstLine(part.kind === 'patch' ? fromFolder(part.title ?? words, directory) : words))}
      meta={part.text && <span className="step-meta soft number">{formatBytes(part.text.total)}</span>}
    >
      {part.text ? <Prose part={part.id} clipped={part.text} /> : <NoBody part={part} />}
    </Fold>
  );
}

function FilePart({ part }: { part: PartView }) {
  const { file } = part;
  const name = file?.name ?? part.title ?? 'Attachment';
  return (
    <div className="file-part">
      <div className="file-line">
        <Paperclip size={14} aria-hidden />
        <code className="one-line" title={file?.source ?? name}>
          {visibleControls(name)}
        </code>
        <span className="soft">{file?.mime ?? ''}</span>
      </div>
      {file?.image && <Picture part={part.id} image={file.image} number={0} name={name} />}
      {part.text && part.text.total > 0 && <LongText part={part.id} side="text" clipped={part.text} label={name} />}
    </div>
  );
}

function CommandPart({ part, open }: { part: PartView; open: boolean }) {
  const line = firstLine(part.title ?? part.text?.text ?? '');
  if (!part.text || part.text.text.trim() === line) {
    return (
      <div className="command-part">
        <SquareTerminal size={14} aria-hidden />
        <code>{visibleControls(line)}</code>
      </div>
    );
  }
  return (
    <Fold part={part.id} open={open} icon={<SquareTerminal size={14} />} label="Command" target={<code>{visibleControls(line)}</code>}>
      <LongText part={part.id} side="text" clipped={part.text} terminal label="Command" />
    </Fold>
  );
}

function NoticePart({ part, open }: { part: PartView; open: boolean }) {
  const text = part.text?.text ?? '';
  const title = part.title ?? firstLine(text);
  const bad = /error|fail|denied|overload|interrupt|abort|rate.?limit/i.test(title);
  const Icon = bad ? TriangleAlert : Info;
  if (!part.text || firstLine(text) === firstLine(title) || text.trim() === '') {
    return (
      <div className="notice" data-tone={bad ? 'danger' : undefined}>
        <Icon size={14} aria-hidden />
        <span>{visibleControls(title || 'Notice without text')}</span>
      </div>
    );
  }
  return (
    <Fold part={part.id} open={open} icon={<Icon size={14} />} label={visibleControls(title)} {...(bad ? { tone: 'danger' as const } : { tone: 'soft' as const })}>
      <LongText part={part.id} side="text" clipped={part.text} label="Notice" />
    </Fold>
  );
}
