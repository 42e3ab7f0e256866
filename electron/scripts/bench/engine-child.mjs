// The built engine as a child process, and a client of it: what a page would ask, measured from outside.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createBirpc } from 'birpc';
import { engineMemory } from '../runtime.mjs';
import { now, processFigures, processReading } from './measure.mjs';

export function startEngine(root, options) {
  const started = now();
  const child = fork(join(root, 'out/main/engine.js'), [], { env: { ...process.env, ...engineMemory, RETRACE_OPTIONS: JSON.stringify(options) }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const listeners = new Set();
  let bytes = 0;
  const rpc = createBirpc(
    { event: (name, payload) => listeners.forEach((listener) => listener(name, payload)) },
    {
      post: (data) => child.send({ client: 1, data }),
      on: (listener) => child.on('message', ({ data }) => {
        bytes += JSON.stringify(data).length;
        listener(data);
      }),
      timeout: -1,
    },
  );
  let last = 0;
  return {
    started,
    figures: () => processFigures(child.pid),
    reading: () => processReading(child.pid),
    bytes: () => bytes,
    onEvent: (listener) => listeners.add(listener),
    async call(method, params = {}) {
      const reply = await rpc.$call('run', ++last, method, params);
      if (!reply.ok) throw new Error(`${method}: ${reply.message}`);
      return reply.value;
    },
    stop: () => new Promise((done) => {
      child.once('exit', done);
      child.kill('SIGTERM');
    }),
  };
}
