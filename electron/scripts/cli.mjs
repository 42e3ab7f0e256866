// `npm run -s retrace -- …`: the command line in a checkout. Builds what it needs when it is not as the sources say, and
// writes to stderr only, so that stdout holds nothing but the command's own output.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { callersFolder, requireRuntime, root } from './runtime.mjs';

requireRuntime();
ensureBuilt(process.argv.includes('serve') ? ['main', 'renderer'] : ['main']);
process.chdir(callersFolder());
// In this process: a second one would cost more than the command itself.
const entry = join(root, 'out/main/cli.js');
process.argv[1] = entry;
await import(pathToFileURL(entry).href);
