import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';

const here = import.meta.dirname;
// By address, since electron-vite bundles this file with what it imports and so moves it away from the folder it looks at.
const build: typeof import('./electron/scripts/build.mjs') = await import(pathToFileURL(resolve(here, 'electron/scripts/build.mjs')).href);
const alias = { '@shared': resolve(here, 'shared') };

type Part = 'main' | 'preload' | 'renderer';

/** Leaves what the sources were at the start of a build beside its result, for `isBuilt`. */
function stamp(part: Part): Plugin {
  let production = false;
  let sources = '';
  return {
    name: 'retrace:stamp',
    apply: 'build',
    configResolved: ({ mode }) => void (production = mode === 'production'),
    buildStart: () => void (sources = build.fingerprint(part)),
    writeBundle() {
      if (production) writeFileSync(build.stampOf(part), sources);
    },
  };
}

/** The development server adds an inline script to the page, which the page's own policy would refuse. */
const withoutPolicy: Plugin = {
  name: 'retrace:development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
};

const main = {
  resolve: { alias },
  plugins: [stamp('main')],
  build: {
    // The oldest Electron the tests may run in; electron-vite would aim at the installed one.
    target: 'node20.18',
    outDir: 'out/main',
    emptyOutDir: true,
    // All but the native module is bundled, so that a package needs no other node_modules.
    externalizeDeps: false,
    rolldownOptions: {
      external: ['better-sqlite3'],
      input: {
        index: resolve(here, 'electron/main/index.ts'),
        engine: resolve(here, 'electron/engine/index.ts'),
        indexer: resolve(here, 'electron/engine/indexer.ts'),
        serve: resolve(here, 'electron/serve/index.ts'),
        cli: resolve(here, 'electron/cli/index.ts'),
        // For the test of the utility process, in an Electron too old for the database.
        'engine-without-database': resolve(here, 'e2e/engine-without-database.ts'),
      },
      // Shared chunks lie beside the entries: code that starts an entry finds it by its own folder, wherever it was bundled to.
      output: { entryFileNames: '[name].js', chunkFileNames: 'shared-[name]-[hash].js', assetFileNames: '[name][extname]' },
    },
  },
};

const preload = {
  resolve: { alias },
  plugins: [stamp('preload')],
  build: {
    target: 'node20.18',
    outDir: 'out/preload',
    emptyOutDir: true,
    rolldownOptions: {
      input: { index: resolve(here, 'electron/preload/index.ts') },
      // A sandboxed preload must be one CommonJS file.
      output: { format: 'cjs' as const, entryFileNames: '[name].cjs' },
    },
  },
};

const renderer = {
  root: resolve(here, 'renderer'),
  resolve: { alias },
  plugins: [react(), withoutPolicy, stamp('renderer')],
  // A worker loads what it needs in pieces of its own, which the default form cannot.
  worker: { format: 'es' as const },
  build: {
    // What the page may meet: the stand-in Electron of the tests, and other browsers under `serve`.
    target: 'chrome130',
    outDir: resolve(here, 'out/renderer'),
    emptyOutDir: true,
    // electron-vite does not minify pages by default.
    minify: true,
    // kB; the page is loaded from this machine.
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { input: { index: resolve(here, 'renderer/index.html') } },
  },
};

/** `RETRACE_PARTS` names the parts to build: the command line does without the page. */
const wanted = process.env.RETRACE_PARTS?.split(' ') ?? build.everyPart;

export default defineConfig({
  ...(wanted.includes('main') && { main }),
  ...(wanted.includes('preload') && { preload }),
  ...(wanted.includes('renderer') && { renderer }),
});
