/** The plugin's folder in a project: `.omo` since 4.2, `.sisyphus` before. */
export const layouts = ['.omo', '.sisyphus'] as const;
export type Layout = (typeof layouts)[number];

/**
 * What a file of the overlay is. `worktree-plan`: the copy of a plan in the worktree that its work names;
 * `team`, `team-task` and `task` lie in the person's home, everything else in the project.
 */
export const overlayKinds = ['boulder', 'plan', 'worktree-plan', 'draft', 'notepad', 'marker', 'goal', 'goal-list', 'loop', 'team', 'team-task', 'task'] as const;
export type OverlayKind = (typeof overlayKinds)[number];

/** Where in the plugin's folder of a project what lies: `*` stands for one name. */
export const projectPlaces: readonly { kind: OverlayKind; path: string; ending: string }[] = [
  { kind: 'boulder', path: 'boulder.json', ending: '' },
  { kind: 'loop', path: 'ralph-loop.local.md', ending: '' },
  { kind: 'plan', path: 'plans', ending: '.md' },
  { kind: 'draft', path: 'drafts', ending: '.md' },
  { kind: 'notepad', path: 'notepads/*', ending: '.md' },
  { kind: 'marker', path: 'run-continuation', ending: '.json' },
  { kind: 'goal', path: 'goal', ending: '.json' },
  { kind: 'goal-list', path: 'ulw-loop/*/goals.json', ending: '' },
];

/** The same below `~/.omo/runtime`, and below the folder of configurations. */
export const homePlaces: readonly { kind: OverlayKind; path: string; ending: string }[] = [
  { kind: 'team', path: '.omo/runtime/*/state.json', ending: '' },
  { kind: 'team-task', path: '.omo/runtime/*/tasks', ending: '.json' },
];
export const configPlaces: readonly { kind: OverlayKind; path: string; ending: string }[] = [{ kind: 'task', path: 'opencode/tasks/*', ending: '.json' }];

export const layoutOf = (path: string): Layout => (path.startsWith('.sisyphus/') ? '.sisyphus' : '.omo');

/** The same file in the other layout. */
export const twinOf = (path: string): string => (layoutOf(path) === '.omo' ? path.replace(/^\.omo\//, '.sisyphus/') : path.replace(/^\.sisyphus\//, '.omo/'));

/** A plan's path as far as it may be read wherever it lies: the plugin's own folders and no other. */
export const isPlanPath = (path: string): boolean => /^\.(?:omo|sisyphus)\/plans\/[^/]+\.md$/.test(path) && !path.includes('\0');
