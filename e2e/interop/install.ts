import { install, programNames } from './programs';

/** Before all tests: the programs are had, or the whole run fails with the reason. Nothing is skipped for want of them. */
export async function setup(): Promise<void> {
  for (const name of programNames) await install(name, (line) => console.warn(line));
}
