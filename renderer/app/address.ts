import { agents, asMessageId, asPartId, asSessionId, type Agent, type DiffScope, type MessageId, type PartId, type SessionId } from '@shared/model';
import type { LibraryGroup, LibrarySort } from '@shared/contract';
import { parseScope, scopeText } from '../features/diff/scope';

/** What the middle of the page shows. */
export type View =
  | { kind: 'home' }
  | { kind: 'session'; session: SessionId; part: PartId | null }
  /** The lineage map of a session's family. */
  | { kind: 'map'; session: SessionId }
  /** Two sessions or branches side by side; a branch as in `Branch.id`, null: the current one. */
  | { kind: 'compare'; a: SessionId; b: SessionId; branchA: string | null; branchB: string | null }
  /** Files that changed; `file`: the path of the one that is shown, null for the first. */
  | { kind: 'files'; session: SessionId; scope: DiffScope; file: string | null }
  | { kind: 'search'; query: string }
  /** Null: all projects. */
  | { kind: 'memory'; project: string | null }
  | { kind: 'doctor' }
  /** What the library keeps, and its settings. */
  | { kind: 'library' }
  /** Guarded writes that were applied; `entry`: the one that is opened. */
  | { kind: 'journal'; entry: string | null }
  /** Plans over all projects, or of one; `plan`: the one that is opened. */
  | { kind: 'work'; project: string | null; plan: string | null };

/** What the library shows, as the address keeps it. Defaults are left out of the address. */
export interface LibraryView {
  agents: Agent[];
  projects: string[];
  archived: 'hide' | 'include' | 'only';
  /** How far back: days (`7d`) or a date (`2026-03-01`). */
  since: string | null;
  title: string;
  group: LibraryGroup;
  sort: LibrarySort;
}

/** What the timeline shows of the open session. */
export type Lens = 'everything' | 'model' | 'branch';

/** The lens, and the branch and point it looks at; null: the current branch, and now. */
export interface LensPlace {
  lens: Lens;
  branch: string | null;
  /** The message the point lies before. */
  before: MessageId | null;
}

export interface Address {
  view: View;
  library: LibraryView;
  lens: LensPlace;
}

export const noLens: LensPlace = { lens: 'everything', branch: null, before: null };

export const everything: LibraryView = { agents: [], projects: [], archived: 'hide', since: null, title: '', group: 'project', sort: 'updated' };

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const oneOf = <T extends string>(value: string | null, allowed: readonly T[], otherwise: T): T => allowed.find((each) => each === value) ?? otherwise;

function parseView(path: string, query: URLSearchParams): View {
  if (path === '/search') return { kind: 'search', query: query.get('q') ?? '' };
  if (path === '/memory' || path.startsWith('/memory/')) return { kind: 'memory', project: decode(path.slice('/memory/'.length)) || null };
  if (path === '/doctor') return { kind: 'doctor' };
  if (path === '/library') return { kind: 'library' };
  if (path === '/journal') return { kind: 'journal', entry: query.get('entry') };
  if (path === '/work') return { kind: 'work', project: query.get('in'), plan: query.get('plan') };
  if (path.startsWith('/compare/')) return parseCompare(path.slice('/compare/'.length), query);
  if (!path.startsWith('/session/')) return { kind: 'home' };
  const rest = path.slice('/session/'.length);
  const at = rest.indexOf('/part/');
  if (at < 0 && rest.endsWith('/map') && rest.length > '/map'.length + 2) return { kind: 'map', session: asSessionId(decode(rest.slice(0, -'/map'.length))) };
  if (at < 0 && rest.endsWith('/files') && rest.length > '/files'.length + 2) return { kind: 'files', session: asSessionId(decode(rest.slice(0, -'/files'.length))), scope: parseScope(query.get('scope')), file: query.get('file') };
  const session = decode(at < 0 ? rest : rest.slice(0, at));
  if (session.length < 3) return { kind: 'home' };
  if (at < 0) return { kind: 'session', session: asSessionId(session), part: null };
  const part = decode(rest.slice(at + '/part/'.length));
  // A part's id holds its session's; an address may leave that out.
  return { kind: 'session', session: asSessionId(session), part: asPartId(part.startsWith(`${session}#`) ? part : `${session}#${part}`) };
}

const branchIn = (query: URLSearchParams, name: string): string | null => {
  const branch = query.get(name);
  return branch !== null && /^\d{1,9}$/.test(branch) ? branch : null;
};

function parseCompare(rest: string, query: URLSearchParams): View {
  const [a = '', b = '', ...more] = rest.split('/').map(decode);
  if (a.length < 3 || b.length < 3 || more.length > 0) return { kind: 'home' };
  return { kind: 'compare', a: asSessionId(a), b: asSessionId(b), branchA: branchIn(query, 'branch-a'), branchB: branchIn(query, 'branch-b') };
}

function parseLibrary(query: URLSearchParams): LibraryView {
  const since = query.get('since');
  return {
    agents: agents.filter((agent) => query.getAll('agent').includes(agent)),
    projects: query.getAll('project'),
    archived: oneOf(query.get('archived'), ['hide', 'include', 'only'], 'hide'),
    since: since !== null && /^(\d{1,5}d|\d{4}-\d\d-\d\d)$/.test(since) ? since : null,
    title: query.get('title') ?? '',
    group: oneOf(query.get('group'), ['project', 'day', 'agent'], 'project'),
    sort: oneOf(query.get('sort'), ['updated', 'created'], 'updated'),
  };
}

function parseLens(query: URLSearchParams): LensPlace {
  const before = query.get('before');
  return {
    lens: oneOf(query.get('lens'), ['everything', 'model', 'branch'], 'everything'),
    branch: branchIn(query, 'branch'),
    before: before !== null && before.length >= 3 ? asMessageId(before) : null,
  };
}

/** Reads an address of the page (what stands from `#` on); anything not understood is left at its default. */
export function parseAddress(hash: string): Address {
  const text = hash.replace(/^#/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1));
  return { view: parseView(path, query), library: parseLibrary(query), lens: parseLens(query) };
}

function viewPath(view: View): string {
  switch (view.kind) {
    case 'home':
      return '/';
    case 'search':
      return '/search';
    case 'memory':
      return view.project === null ? '/memory' : `/memory/${encodeURIComponent(view.project)}`;
    case 'doctor':
      return '/doctor';
    case 'library':
      return '/library';
    case 'map':
      return `/session/${encodeURIComponent(view.session)}/map`;
    case 'compare':
      return `/compare/${encodeURIComponent(view.a)}/${encodeURIComponent(view.b)}`;
    case 'files':
      return `/session/${encodeURIComponent(view.session)}/files`;
    case 'journal':
      return '/journal';
    case 'work':
      return '/work';
    case 'session': {
      const session = `/session/${encodeURIComponent(view.session)}`;
      return view.part === null ? session : `${session}/part/${encodeURIComponent(view.part)}`;
    }
  }
}

/** Writes an address; `parseAddress` reads it back. */
export function formatAddress({ view, library, lens }: Address): string {
  const query = new URLSearchParams();
  if (view.kind === 'search' && view.query) query.set('q', view.query);
  if (view.kind === 'session') {
    if (lens.lens !== noLens.lens) query.set('lens', lens.lens);
    if (lens.branch !== null) query.set('branch', lens.branch);
    if (lens.before !== null) query.set('before', lens.before);
  }
  if (view.kind === 'compare' && view.branchA !== null) query.set('branch-a', view.branchA);
  if (view.kind === 'compare' && view.branchB !== null) query.set('branch-b', view.branchB);
  if (view.kind === 'files') {
    if (view.scope.kind !== 'session') query.set('scope', scopeText(view.scope));
    if (view.file !== null) query.set('file', view.file);
  }
  if (view.kind === 'journal' && view.entry !== null) query.set('entry', view.entry);
  if (view.kind === 'work' && view.project !== null) query.set('in', view.project);
  if (view.kind === 'work' && view.plan !== null) query.set('plan', view.plan);
  for (const agent of library.agents) query.append('agent', agent);
  for (const project of library.projects) query.append('project', project);
  if (library.archived !== everything.archived) query.set('archived', library.archived);
  if (library.since !== null) query.set('since', library.since);
  if (library.title) query.set('title', library.title);
  if (library.group !== everything.group) query.set('group', library.group);
  if (library.sort !== everything.sort) query.set('sort', library.sort);
  const rest = query.toString();
  return `#${viewPath(view)}${rest ? `?${rest}` : ''}`;
}
