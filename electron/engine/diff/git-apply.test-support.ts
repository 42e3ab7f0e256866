import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder in which the real `git apply` is tried. */
export class ApplyFolder {
  readonly folder = mkdtempSync(join(tmpdir(), 'retrace-apply-'));

  constructor(files: Record<string, string> = {}) {
    execFileSync('git', ['init', '-q', this.folder], { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
    for (const [path, text] of Object.entries(files)) this.write(path, text);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string | null {
    const file = join(this.folder, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  }

  /** Checks the patch, then applies it; throws what git says against it. */
  apply(patch: string): void {
    for (const check of [['--check'], []]) execFileSync('git', ['apply', '--whitespace=nowarn', ...check], { cwd: this.folder, input: patch, stdio: ['pipe', 'pipe', 'pipe'] });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
