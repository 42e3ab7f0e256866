import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * The person's own Codex, as a shell would find it; null where there is none. On Windows only the program itself is
 * taken: a `.cmd` would need a shell.
 */
export function codexProgram(variables: NodeJS.ProcessEnv = process.env, platform: NodeJS.Platform = process.platform): string | null {
  const name = platform === 'win32' ? 'codex.exe' : 'codex';
  for (const folder of (variables['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      continue;
    }
  }
  return null;
}

export const noProgram = 'Codex itself does this, and no `codex` was found on the PATH.';
