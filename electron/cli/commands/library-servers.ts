import { type CommandContext, Refusal } from '../command-context';
import { plainLine } from '../plain-text';
import type { ExitCode } from '../surroundings';

/** `retrace library servers`: share servers of one's own, shown, added, removed. */
export async function libraryServers({ engine, out, json }: CommandContext, { add, remove }: { add: string[]; remove: string[] }): Promise<ExitCode> {
  const before = (await engine.call('share.servers', {})).servers;
  // Written with or without a slash at its end it is the same one.
  const bare = (server: string) => server.trim().replace(/\/+$/, '');
  const unknown = remove.find((server) => !before.includes(bare(server)));
  if (unknown !== undefined) throw new Refusal(`${JSON.stringify(unknown)} is none of the share servers.`);
  const wanted = [...before.filter((server) => !remove.map(bare).includes(server)), ...add];
  const { servers, refused } = add.length + remove.length > 0 ? await engine.call('share.servers', { servers: wanted }) : { servers: before, refused: [] };
  const [fault] = refused;
  if (fault) throw new Refusal(`${fault.server}: ${fault.reason}`);
  if (json) await out.json({ servers });
  else if (servers.length === 0) await out.line('No share servers of your own.');
  else for (const server of servers) await out.line(plainLine(server));
  return 0;
}
