import { spawn } from 'node:child_process';

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Milliseconds for one run of a program; two busy cores start one in seconds. */
const runLimit = 240_000;

export interface Surroundings {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

/** Runs a program to its end. The scripted model answers from this process, so that it must not wait in a synchronous call. */
export function run(program: string, args: string[], { cwd, env }: Surroundings): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(new Error(`${program} ${args.join(' ')} did not end within ${runLimit / 1_000} seconds and was ended:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`));
    }, runLimit);
    child.on('error', fail);
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ code, stdout, stderr });
    });
  });
}

/** The same where it has to end well; what it said is in the error when it does not. */
export async function ran(program: string, args: string[], at: Surroundings): Promise<string> {
  const { code, stdout, stderr } = await run(program, args, at);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`);
  return stdout;
}
