import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** From where, what is imported. The lint rule looks at the spelling only, so nothing of it has to be there. */
type Import = [file: string, specifier: string];

const forbidden: Import[] = [
  ['shared/link.ts', '../electron/engine/options'],
  ['shared/model/session.ts', '../../renderer/app/address'],
  ['shared/port.ts', '../e2e/launch'],
  ['shared/port.ts', 'node:path'],
  ['shared/port.ts', 'react'],
  ['shared/port.ts', 'electron'],

  ['renderer/app/App.tsx', '../../electron/engine/options'],
  ['renderer/app/App.tsx', '../../electron/main/windows'],
  ['renderer/main.tsx', '../electron/preload'],
  ['renderer/main.tsx', 'electron'],
  ['renderer/main.tsx', 'electron/renderer'],
  ['renderer/rpc.ts', 'node:fs'],
  ['renderer/rpc.ts', 'better-sqlite3'],
  ['renderer/rpc.ts', '../e2e/fixtures'],

  ['electron/engine/index.ts', '../main/windows'],
  ['electron/engine/index.ts', '../serve/server'],
  ['electron/engine/index.ts', '../serve'],
  ['electron/engine/stores/claude-code/read.ts', '../../../cli/output'],
  ['electron/engine/stores/claude-code/read.ts', '../../../preload/index'],
  ['electron/engine/library/library.ts', '../../../renderer/app/address'],
  ['electron/engine/library/library.ts', '../../../e2e/fixtures'],
  ['electron/engine/library/library.ts', 'electron'],

  ['electron/serve/server.ts', '../main/page'],
  ['electron/serve/server.ts', '../cli/output'],
  ['electron/serve/server.ts', '../../renderer/rpc'],
  ['electron/serve/server.ts', 'electron'],

  ['electron/cli/index.ts', '../main/page'],
  ['electron/cli/index.ts', '../serve/server'],
  ['electron/cli/index.ts', '../serve'],
  ['electron/cli/index.ts', '../../renderer/rpc'],
  ['electron/cli/index.ts', 'electron'],

  ['electron/main/index.ts', '../engine'],
  ['electron/main/index.ts', '../engine/index'],
  ['electron/main/index.ts', '../engine/host'],
  ['electron/main/index.ts', '../engine/stores/store'],
  ['electron/main/index.ts', '../serve/server'],
  ['electron/main/index.ts', '../cli/output'],
  ['electron/main/index.ts', '../preload'],
  ['electron/main/index.ts', '../../renderer/rpc'],

  ['electron/preload/index.ts', '../main/windows'],
  ['electron/preload/index.ts', '../engine/options'],
  ['electron/preload/index.ts', '../../renderer/rpc'],
  ['electron/preload/index.ts', 'node:fs'],
];

const allowed: Import[] = [
  ['shared/link.ts', './contract'],
  ['shared/model/session.ts', '../port'],
  ['shared/contract.ts', 'zod'],
  ['shared/link.test.ts', 'node:path'],
  ['renderer/app/App.tsx', '@shared/link'],
  ['renderer/main.tsx', './app/App'],
  ['renderer/app/App.tsx', 'react'],
  ['electron/engine/index.ts', './host'],
  ['electron/engine/stores/claude-code/read.ts', '../store'],
  ['electron/engine/library/library.ts', '@shared/contract'],
  ['electron/engine/library/library.ts', 'node:fs'],
  ['electron/engine/library/library.ts', 'better-sqlite3'],
  ['electron/engine/library/library.test.ts', '../../../e2e/fixtures'],
  ['electron/serve/server.ts', '../engine/host'],
  ['electron/serve/server.ts', '@shared/csp'],
  ['electron/cli/index.ts', '../engine/library/library'],
  ['electron/cli/index.ts', '@shared/model'],
  ['electron/cli/index.ts', '../serve/index'],
  ['electron/main/index.ts', '../engine/options'],
  ['electron/main/index.ts', './windows'],
  ['electron/main/index.ts', '@shared/csp'],
  ['electron/main/index.ts', 'electron'],
  ['electron/preload/index.ts', '@shared/shell'],
  ['electron/preload/index.ts', 'electron'],
  ['e2e/desktop.spec.ts', '../electron/scripts/electron.mjs'],
];

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'retrace-boundaries-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The ways to import that must not make a difference. */
const spellings = [
  (specifier: string) => `import { something } from '${specifier}';\nsomething();\n`,
  (specifier: string) => `import type { Something } from '${specifier}';\nexport type Other = Something;\n`,
  (specifier: string) => `export const later = () => import('${specifier}');\n`,
  (specifier: string) => `export { something } from '${specifier}';\n`,
];

/** Writes an import in each spelling to a file of its own, in the same folder and of the same kind as the file it speaks of. */
function written([file, specifier]: Import, number: number): [title: string, names: string[]] {
  const names = spellings.map((spelling, kind) => {
    const name = file.replace(/([^/]+?)((\.\w+)+)$/, `case${number}-${kind}$2`);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), spelling(specifier));
    return name;
  });
  return [`${file} imports ${specifier}`, names];
}

const cases = [...forbidden, ...allowed].map(written);
let refusals: Set<string>;
beforeAll(() => {
  copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'json', '.'], {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; severity: string; filename: string }[] };
  const found = diagnostics.filter(({ code, severity }) => code === 'eslint(no-restricted-imports)' && severity === 'error');
  refusals = new Set(found.map(({ filename }) => filename.replaceAll('\\', '/').replace(/^\.\//, '')));
});

describe('import directions that the lint refuses', () => {
  test.each(cases.slice(0, forbidden.length))('%s', (_title, names) => {
    expect(names.filter((name) => !refusals.has(name))).toEqual([]);
  });
});

describe('import directions that the lint lets through', () => {
  test.each(cases.slice(forbidden.length))('%s', (_title, names) => {
    expect(names.filter((name) => refusals.has(name))).toEqual([]);
  });
});
