import { install, NotToBeHad, programNames } from './programs';

/**
 * Before all tests: the programs are had, or the whole run fails with the reason. With RETRACE_INTEROP_OPTIONAL a machine
 * that cannot get them is told so in one line, and nothing fails; a program that is not what it should be fails all the same.
 */
export async function setup(): Promise<void> {
  try {
    for (const name of programNames) await install(name, (line) => console.warn(line));
  } catch (error) {
    if (!(error instanceof NotToBeHad) || process.env['RETRACE_INTEROP_OPTIONAL'] !== '1') throw error;
    console.warn(`Skipped: all tests with the real agents, since ${error.message.replace(/\s+/g, ' ').slice(0, 300)}`);
    process.exit(0);
  }
}
