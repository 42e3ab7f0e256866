import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClaudeCode } from './claude-code';
import { Codex } from './codex';
import type { Conversation, Piece, Rule } from './mock/script';
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
  agent: string;
  open(project?: string): Promise<Agent>;
  /** Makes the session that is handed on. */
  make(agent: Agent): Promise<string>;
  /** Ways of writing it to a file, by what the file is. */
  files: Record<string, (agent: Agent, session: string) => Promise<string>>;
}

const bundle = ({ place }: Agent, session: string): Promise<string> => new Retrace(place).export(session, 'bundle', join(place.home, 'session.retrace.jsonl'));

const look = (call: { name: string; input: object }): Rule[] => [{ when: 'look', steps: [{ reasoning: 'The table.', text: 'Looking.', calls: [call] }, { text: 'Looked.' }] }];

const cases: Case[] = [
  {
    agent: 'opencode',
    open: (project) => OpenCode.open((folder) => look({ name: 'read', input: { filePath: `${folder}/tide.txt` } }), project),
    async make(agent) {
      if (!(agent instanceof OpenCode)) throw new Error('not OpenCode');
      return agent.withServer(async (server) => {
        const id = await server.create();
        for (const prompt of ['greet', 'look']) await server.say(id, prompt);
        return `opencode/${id}`;
      });
    },
    files: {
      'a bundle': bundle,
      'what Retrace exports in OpenCode’s own shape': ({ place }, session) => new Retrace(place).export(session, 'opencode', join(place.home, 'session.opencode.json')),
      async 'what OpenCode exports itself'(agent, session) {
        if (!(agent instanceof OpenCode)) throw new Error('not OpenCode');
        return agent.place.write('exported.json', await agent.cli('export', session.slice('opencode/'.length)));
      },
    },
  },
  {
    agent: 'claude-code', files: { 'a bundle': bundle },
    open: (project) => ClaudeCode.open((folder) => look({ name: 'Read', input: { file_path: `${folder}/tide.txt` } }), project),
    async make(agent) {
      if (!(agent instanceof ClaudeCode)) throw new Error('not Claude Code');
      const id = await agent.say('greet');
      await agent.say('look', '--resume', id);
      return `claude-code/${id}`;
    },
  },
  {
    agent: 'codex', files: { 'a bundle': bundle },
    open: (project) => Codex.open(() => look({ name: 'exec_command', input: { cmd: 'cat tide.txt' } }), project),
    async make(agent) {
      if (!(agent instanceof Codex)) throw new Error('not Codex');
      const id = await agent.say('greet');
      await agent.say('look', 'resume', id);
      return `codex/${id}`;
    },
  },
];

describe.each(cases)('a session of $agent', ({ agent, open, make, files }) => {
  const opened: Agent[] = [];
  const openOne = async (project?: string): Promise<Agent> => {
    const one = await open(project);
    opened.push(one);
    return one;
  };
  let giver: Agent;
  let session = '';
  let there: Piece[] = [];

  beforeAll(async () => {
    giver = await openOne();
    session = await make(giver);
    there = await new Retrace(giver.place).context(session);
  });

  afterAll(async () => {
    for (const one of opened) await one.close();
  });

  test.each(Object.keys(files))('%s of it comes into an empty library, and goes on in the store of its agent', async (name) => {
    const file = (await files[name]?.(giver, session)) ?? '';
    const taker = await openOne(giver.place.project);
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
