import type { DiffScope, FileChange } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { formatCount } from '../../ui/format';

/** A scope as the address has it: `session`, `branch:2`, `stretch:2:…`, `turn:3`, `part:…`, `against:…`. */
export function scopeText(scope: DiffScope): string {
  switch (scope.kind) {
    case 'session':
      return 'session';
    case 'branch':
      return `branch:${scope.branch}`;
    case 'stretch':
      return `stretch:${scope.branch}:${scope.from}`;
    case 'turn':
      return `turn:${scope.turn}`;
    case 'part':
      return `part:${scope.part}`;
    case 'against':
      return `against:${scope.session}`;
  }
}

/** Reads `scopeText` back; what is not understood is the whole session. */
export function parseScope(text: string | null): DiffScope {
  const [, kind, value = ''] = /^(\w+):(.+)$/s.exec(text ?? '') ?? [];
  if (kind === 'branch' && value.length <= 100) return { kind, branch: value };
  const [, ofBranch, from] = /^([^:]{1,100}):(.{3,})$/s.exec(value) ?? [];
  if (kind === 'stretch' && ofBranch !== undefined && from !== undefined) return { kind, branch: ofBranch, from };
  if (kind === 'turn' && /^[1-9]\d{0,6}$/.test(value)) return { kind, turn: Number(value) };
  if (kind === 'part' && value.length >= 3) return { kind, part: value };
  if (kind === 'against' && value.length >= 3) return { kind, session: value };
  return { kind: 'session' };
}

/** What a list of files is the list of, as a phrase: "in turn 3". */
export function scopeWords(scope: DiffScope): string {
  switch (scope.kind) {
    case 'session':
      return 'over the session';
    case 'branch':
      return scope.branch === 'current' ? 'on the current branch' : `on branch ${scope.branch}`;
    case 'stretch':
      return `on ${scope.branch === 'current' ? 'the current branch' : `branch ${scope.branch}`} since it departed`;
    case 'turn':
      return `in turn ${formatCount(scope.turn)}`;
    case 'part':
      return 'by this part';
    case 'against':
      return 'against the other session';
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unseen = /[\t\n\r\u00ad\u200b-\u200d\u2060-\u2064\ufeff]/g;

/** A file's name with every character that is not seen written out: in a name none of them is of use. */
export const visibleName = (name: string): string =>
  visibleControls(name).replace(unseen, (character) => `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

/** How a file is called: by its place in the project, or whole. */
export const nameOf = (file: Pick<FileChange, 'path' | 'relative'>): string => file.relative ?? file.path;
