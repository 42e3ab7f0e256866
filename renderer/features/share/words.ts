import type { ExportFormat, FindingClass, RedactionCount } from '@shared/model';
import { countOf } from '../../ui/format';

export const formatWords: Record<ExportFormat, { name: string; note: string }> = {
  markdown: { name: 'Markdown', note: 'to read or to paste' },
  html: { name: 'Web page', note: 'one file, opens offline' },
  json: { name: 'JSON', note: 'as retrace show --json' },
  opencode: { name: 'OpenCode', note: 'for opencode import' },
  bundle: { name: 'Retrace bundle', note: 'for another Retrace' },
};

export const classWords: Record<FindingClass, [one: string, many: string]> = {
  secret: ['secret', 'secrets'], home: ['home folder', 'home folders'], mail: ['mail address', 'mail addresses'], word: ['chosen word', 'chosen words'],
};

/** "3 secrets and 1 home folder are masked." */
export function maskedWords({ applied, masked }: RedactionCount): string {
  if (!applied) return 'Nothing was masked.';
  if (masked.length === 0) return 'Nothing to mask was found.';
  return `Masked: ${masked.map(({ class: kind, findings }) => countOf(findings, ...classWords[kind])).join(', ')}.`;
}
