import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ClaudeCode } from './claude-code';
import { Codex } from './codex';
import type { Conversation, Rule } from './mock/script';
import { OpenCode } from './opencode';
import type { Place } from './place';
import { Retrace } from './retrace';
import { expectSent } from './sent';

interface Agent {
  place: Place;
  continue(session: string, prompt: string): Promise<Conversation[]>;
  /** Lets the program make its store, with nothing in it that is looked at. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

interface Case {
  name: string;
  agent: string;
  open(project?: string): Promise<Agent>;
  /** Makes the session that is handed on. */
  make(agent: Agent): Promise<string>;
  /** Writes it to a file. */
  handOn(agent: Agent, session: string): Promise<string>;
}

const bundle = ({ place }: Agent, session: string): Promise<string> => new Retrace(place).export(session, 'bundle', join(place.home, 'session.retrace.jsonl'));

const look = (call: { name: string; input: object }): Rule[] => [{ when: 'look', steps: [{ reasoning: 'The table.', text: 'Looking.', calls: [call] }, { text: 'Looked.' }] }];

const openOpenCode = (project?: string) => OpenCode.open((folder) => look({ name: 'read', input: { filePath: `${folder}/tide.txt` } }), project);

async function sayInOpenCode(agent: Agent): Promise<string> {
  if (!(agent instanceof OpenCode)) throw new Error('not OpenCode');
  return agent.withServer(0, async (server) => {
    const id = await server.create();
    for (const prompt of ['greet', 'look']) await server.say(id, prompt);
    return `opencode/${id}`;
  });
}

const cases: Case[] = [
  { name: 'a bundle of an OpenCode session', agent: 'opencode', open: openOpenCode, make: sayInOpenCode, handOn: bundle },
  { name: 'what Retrace exports in OpenCode’s own shape', agent: 'opencode', open: openOpenCode, make: sayInOpenCode, handOn: ({ place }, session) => new Retrace(place).export(session, 'opencode', join(place.home, 'session.opencode.json')) },
  {
    name: 'what OpenCode exports itself', agent: 'opencode', open: openOpenCode, make: sayInOpenCode,
    async handOn(agent, session) {
      if (!(agent instanceof OpenCode)) throw new Error('not OpenCode');
      return agent.place.write('exported.json', await agent.cli('export', session.slice('opencode/'.length)));
    },
  },
  {
    name: 'a bundle of a Claude Code session', agent: 'claude-code', handOn: bundle,
    open: (project) => ClaudeCode.open((folder) => look({ name: 'Read', input: { file_path: `${folder}/tide.txt` } }), project),
    async make(agent) {
      if (!(agent instanceof ClaudeCode)) throw new Error('not Claude Code');
      const id = await agent.say('greet');
      await agent.say('look', '--resume', id);
      return `claude-code/${id}`;
    },
  },
  {
    name: 'a bundle of a Codex thread', agent: 'codex', handOn: bundle,
    open: (project) => Codex.open(() => look({ name: 'exec_command', input: { cmd: 'cat tide.txt' } }), project),
    async make(agent) {
      if (!(agent instanceof Codex)) throw new Error('not Codex');
      const id = await agent.say('greet');
      await agent.say('look', 'resume', id);
      return `codex/${id}`;
    },
  },
];

const opened: Agent[] = [];
afterAll(async () => {
  for (const agent of opened) await agent.close();
});

describe.each(cases)('$name', ({ agent, open, make, handOn }) => {
  test('comes into an empty library, and goes on in the store of its agent', async () => {
    const giver = await open();
    opened.push(giver);
    const session = await make(giver);
    const there = await new Retrace(giver.place).context(session);
    const file = await handOn(giver, session);

    const taker = await open(giver.place.project);
    opened.push(taker);
    await taker.begin();
    const retrace = new Retrace(taker.place);
    const imported = await retrace.import(file);
    expect(await retrace.list()).toContainEqual(expect.objectContaining({ id: imported.session, agent: 'retrace' }));
    expect(await retrace.context(imported.session)).toEqual(there);

    const went = await retrace.fork(imported.session);
    expect(went.plan).toMatchObject({ kind: 'continue', agent });
    const said = await retrace.context(went.session);
    expect(said).toEqual(there);
    expectSent(await taker.continue(went.native, 'onwards'), said, 'onwards');
  });
});
