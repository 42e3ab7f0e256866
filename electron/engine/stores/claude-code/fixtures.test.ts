import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokens } from '@shared/model';
import { afterAll, describe, expect, test } from 'vitest';
import { expectedOf, type Fixture, fixtureNames, openFixture, recordedHome } from '../../../../e2e/fixtures';
import { drive, type DrivenSession, type DrivenStore } from './drive.test-support';
import { claudeCode } from './index';

interface Usage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
}

interface ExpectedSession {
  session_id: string;
  file: string;
  cwd: string;
  title: { value: string } | null;
  first_prompt: string;
  git_branch?: string;
  human_prompts_all_branches: { text: string; uuid: string }[];
  branches: { prompts: string[]; last_answer: string; last_answer_uuid: string; active: boolean }[];
  assistant_api_messages: { own: number; inherited_by_copy: number };
  tool_calls_in_main_thread: number;
  tokens_main_thread_deduplicated: { own: Usage; inherited_by_copy: Partial<Usage> };
  fork_of?: { session_id: string; shared_prompts: number; after_prompt?: string; how: string };
  cli_resume_sends?: { user_texts: string[] };
  compactions?: { trigger: string; boundary_uuid: string; preTokens: number; postTokens: number | null; after_prompt?: string }[];
  checkpoints?: {
    prompt_uuid: string; before_prompt: string; files: Record<string, { content: string | null }>; on_active_branch: boolean; untracked_changes_in_turn: boolean;
  }[];
  subagents?: {
    description: string; type: string; prompt: string; parent: string; answer: string; api_messages: number; tool_calls: number; tokens_deduplicated: Usage; file: string; agent_id: string | null;
  }[];
  todos?: { content: string; status: string }[];
  tasks?: { id: string; subject: string; status: string; blockedBy?: string[] }[];
  slash_commands?: string[];
  queued_prompts?: { text: string }[];
  worktree?: { name: string; path: string; branch: string; original_cwd: string };
}

interface Expected {
  cli_version: string;
  main_transcripts: number;
  default_model_seen?: string[];
  sessions: ExpectedSession[];
  empty_transcripts: string[];
  transcripts_with_only_a_summary_line: string[];
  tokens_whole_store_deduplicated: Usage;
  warmup_agents?: { files: number };
  sessions_by_cwd?: { cwd: string; session_id: string; prompt: string; answer: string }[];
}

/** For what only some cases expect: a test each time it is there. */
const given = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value]);

const opened: Fixture[] = [];
afterAll(() => opened.forEach((fixture) => fixture.dispose()));

function open(name: string): DrivenStore {
  const fixture = openFixture('claude-code', name);
  opened.push(fixture);
  return drive(claudeCode, fixture.home);
}

const sessionOf = (store: DrivenStore, native: string): DrivenSession => {
  const session = store.sessions.get(native);
  if (!session) throw new Error(`no session ${native}`);
  return session;
};

/** Text of a message, from its parts. */
const textOf = (session: DrivenSession, key: string, kinds = ['text']): string =>
  session.parts.filter((part) => part.message === key && kinds.includes(part.fact.kind)).map((part) => part.fact.text).join('');

const isAnswer = (session: DrivenSession, key: string): boolean => session.messages.get(key)?.role === 'assistant' && session.messages.get(key)?.counted === true;

const inheritedOf = (session: DrivenSession): Set<string> => new Set(session.edges.flatMap((edge) => edge.inherited));

const noTokens: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };

function sum(tokens: (Tokens | null)[]): Tokens {
  return tokens.reduce<Tokens>(
    (a, b) => (b ? { input: a.input + b.input, output: a.output + b.output, reasoning: a.reasoning + b.reasoning, cacheRead: a.cacheRead + b.cacheRead, cacheWrite: a.cacheWrite + b.cacheWrite } : a),
    noTokens,
  );
}

const usage = (expected: Partial<Usage>): Tokens => ({
  input: expected.input_tokens ?? 0, output: expected.output_tokens ?? 0, reasoning: 0, cacheRead: expected.cache_read_input_tokens ?? 0, cacheWrite: expected.cache_creation_input_tokens ?? 0,
});

/** Prompts of the person on a path, queued ones left out: the expectations list those apart. */
function promptsOn(session: DrivenSession, path: number[]): string[] {
  return path.flatMap((index) => {
    const record = session.records[index];
    return record?.type === 'user' && record.message?.prompt ? [textOf(session, record.message.key)] : [];
  });
}

function lastAnswerOn(session: DrivenSession, path: number[]): { text: string; uuid: string | null } {
  for (let i = path.length - 1; i >= 0; i--) {
    const record = session.records[path[i] as number];
    const text = record?.parts.find((part) => part.kind === 'text' && !part.injected)?.text;
    if (record?.message && isAnswer(session, record.message.key) && text) return { text, uuid: record.key };
  }
  return { text: '', uuid: null };
}

const shortened = (text: string): string => text.trim().slice(0, 110).trim();

/** What the program would send in the person's name, from the records that the model still sees; reminders left out as in the expectations. */
function sentTexts(session: DrivenSession, store: DrivenStore): string[] {
  const texts: string[] = [];
  session.records.forEach((record, index) => {
    if (session.settled.records[index]?.seen !== true) return;
    const entry = JSON.parse(store.bytesOf(record.source).subarray(record.at, record.at + record.bytes).toString('utf8'));
    // Sent inside reminder tags, which the list of the fixture leaves out.
    if (entry.ownNote === true) return;
    const content = record.type === 'user' ? entry.message.content : record.type === 'system/local_command' ? entry.content : null;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    for (const block of blocks) if (block.type === 'text') texts.push(block.text);
    if (record.type === 'attachment/queued_command') texts.push(entry.rendered[0].content.replace('<system-reminder>\n', ''));
    if (record.type === 'attachment/file' && entry.attachment.content.type === 'image') texts.push('<image>');
  });
  return texts.filter((text) => !/^<(system-reminder|task-notification)>/.test(text)).map(shortened).toSorted();
}

describe.each(fixtureNames('claude-code'))('claude-code/%s', (name) => {
  const expected = expectedOf('claude-code', name) as Expected;
  const store = open(name);
  const listed = [...store.sessions.values()].filter((session) => !session.facts.ignored);

  test('lists exactly the sessions there are', () => {
    const mains = (expected.sessions_by_cwd ?? expected.sessions).map((session) => session.session_id).sort();
    expect(listed.filter((session) => session.facts.kind === 'session').map((session) => session.native).sort()).toEqual(mains);
    const subagents = expected.sessions.flatMap((session) => session.subagents ?? []).length;
    expect(listed.filter((session) => session.facts.kind === 'subagent')).toHaveLength(subagents);
  });

  test('reads every transcript, also those that are no sessions', () => {
    const transcripts = store.survey.changes.filter(({ key }) => /^projects\/[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(key));
    // A file with only a summary line is not counted among the transcripts there.
    expect(transcripts).toHaveLength(expected.main_transcripts);
  });

  test('release and models', () => {
    const mains = listed.filter((session) => session.facts.kind === 'session');
    expect(new Set(mains.map((session) => session.facts.agentVersion))).toEqual(new Set([expected.cli_version]));
    const models = new Set(listed.flatMap((session) => session.facts.models));
    for (const seen of given(expected.default_model_seen)) expect(seen).toEqual(expect.arrayContaining([...models]));
    expect(models.size).toBeGreaterThan(0);
  });

  test('knows every record, and finds no damage', () => {
    expect({ unknown: store.unknown, damage: store.damage }).toEqual({ unknown: {}, damage: [] });
  });

  test('the list before reading names the same sessions', () => {
    const heads = Object.fromEntries(store.survey.heads.map((head) => [head.native, head]));
    for (const session of listed.filter(({ native }) => !native.includes('.sidechain-'))) {
      expect(heads[session.native], session.native).toMatchObject({ kind: session.facts.kind, created: session.facts.created, directory: session.facts.directory });
    }
    expect(Object.keys(heads).filter((native) => !listed.some((session) => session.native === native))).toEqual([]);
  });

  test('tokens of the whole store count each request once', () => {
    const requests = new Map<string, Tokens>();
    for (const session of store.sessions.values()) {
      for (const [key, message] of session.messages) {
        if (!message.tokens) continue;
        const known = requests.get(key);
        requests.set(key, known && known.output > message.tokens.output ? known : message.tokens);
      }
    }
    expect(sum([...requests.values()])).toEqual(usage(expected.tokens_whole_store_deduplicated));
    // The same total from what each session calls its own.
    const own = [...store.sessions.values()].flatMap((session) => [...session.messages].filter(([key]) => !inheritedOf(session).has(key)).map(([, message]) => message.tokens));
    expect(sum(own)).toEqual(usage(expected.tokens_whole_store_deduplicated));
  });

  for (const file of [...expected.empty_transcripts, ...expected.transcripts_with_only_a_summary_line]) {
    test(`${file.split('/').at(-1)} holds no conversation and is no session`, () => {
      const native = file.split('/').at(-1)?.replace('.jsonl', '') ?? '';
      expect(store.sessions.get(native)?.facts.ignored ?? true).toBe(true);
    });
  }

  for (const { files } of given(expected.warmup_agents)) {
    test('warm-up runs are ignored', () => {
      const warm = [...store.sessions.values()].filter((session) => session.facts.kind === 'subagent' && session.facts.ignored && session.records.length > 0);
      expect(warm).toHaveLength(files);
    });
  }

  for (const place of expected.sessions_by_cwd ?? []) {
    test(`the session of ${place.cwd} is found by its records`, () => {
      const session = sessionOf(store, place.session_id);
      expect({ directory: session.facts.directory, title: session.facts.title, answer: lastAnswerOn(session, session.settled.branches[0]?.path ?? []).text }).toEqual({
        directory: place.cwd, title: place.prompt, answer: place.answer,
      });
    });
  }

  for (const wanted of expected.sessions) {
    describe(`session ${wanted.session_id}`, () => {
      const session = sessionOf(store, wanted.session_id);
      const inherited = inheritedOf(session);
      const answers = [...session.messages].filter(([key]) => isAnswer(session, key));

      test('title, folder, git branch', () => {
        expect({ title: session.facts.title, directory: session.facts.directory }).toEqual({ title: wanted.title?.value ?? wanted.first_prompt, directory: wanted.cwd });
        if (wanted.git_branch !== undefined) expect(session.facts.gitBranch).toBe(wanted.git_branch);
      });

      test('prompts of the person, in order, by id', () => {
        const prompts = session.records.filter((record) => record.type === 'user' && record.message?.prompt).map((record) => ({ text: textOf(session, record.message?.key ?? ''), uuid: record.key }));
        const byUuid = (a: { uuid: string | null }, b: { uuid: string | null }) => ((a.uuid ?? '') < (b.uuid ?? '') ? -1 : 1);
        expect(prompts.toSorted(byUuid)).toEqual(wanted.human_prompts_all_branches.toSorted(byUuid));
        expect([...session.messages.values()].filter((message) => message.role === 'user' && message.counted)).toHaveLength(prompts.length + (wanted.queued_prompts?.length ?? 0));
      });

      test('branches', () => {
        const branches = session.settled.branches.map(({ current, path }) => {
          const answer = lastAnswerOn(session, path);
          return { prompts: promptsOn(session, path), last_answer: answer.text, last_answer_uuid: answer.uuid, active: current };
        });
        // Commands that the model answers are listed among the prompts there; here they are commands.
        const wantedBranches = wanted.branches.map(({ prompts, last_answer, last_answer_uuid, active }) => ({ prompts: prompts.filter((text) => !/^[!/]/.test(text)), last_answer, last_answer_uuid, active }));
        expect(branches).toEqual(wantedBranches);
        for (const { path } of session.settled.branches) expect(new Set(path).size).toBe(path.length);
      });

      test('answers, calls and tokens, own and inherited', () => {
        const own = answers.filter(([key]) => !inherited.has(key));
        const copied = answers.filter(([key]) => inherited.has(key));
        expect({ own: own.length, inherited_by_copy: copied.length }).toEqual(wanted.assistant_api_messages);
        expect(session.parts.filter((part) => part.fact.kind === 'tool')).toHaveLength(wanted.tool_calls_in_main_thread);
        expect(sum(own.map(([, message]) => message.tokens))).toEqual(usage(wanted.tokens_main_thread_deduplicated.own));
        expect(sum(copied.map(([, message]) => message.tokens))).toEqual(usage(wanted.tokens_main_thread_deduplicated.inherited_by_copy));
      });

      test('every call of the current branch has its result, or is said to be interrupted', () => {
        const unanswered = session.parts.filter((part) => part.fact.kind === 'tool' && !part.result);
        const said = session.settled.tools.map((tool) => session.records[tool.record]?.key);
        expect(unanswered.map((part) => part.record.key)).toEqual(said);
      });

      test('parent', () => {
        const edges = session.edges.map(({ parent, kind }) => ({ parent, kind }));
        const fork = wanted.fork_of;
        expect(edges).toEqual(fork ? [{ parent: fork.session_id, kind: fork.how.startsWith('resume') ? 'resume' : 'fork' }] : []);
        if (!fork) return;
        const sharedPrompts = [...session.messages].filter(([key, message]) => message.prompt && inherited.has(key)).map(([key]) => textOf(session, key));
        expect(sharedPrompts).toHaveLength(fork.shared_prompts);
        if (fork.after_prompt !== undefined) expect(sharedPrompts.at(-1)).toBe(fork.after_prompt);
      });

      for (const { user_texts } of given(wanted.cli_resume_sends)) {
        test('what the model still sees is what the program sends', () => {
          // "Tool loaded." is added to a request when it is sent; it stands in no record.
          expect(sentTexts(session, store)).toEqual(user_texts.filter((text) => text !== 'Tool loaded.').map(shortened).toSorted());
        });
      }

      test('compactions', () => {
        expect(session.settled.compactions).toBe(wanted.compactions?.length ?? 0);
        for (const compaction of wanted.compactions ?? []) {
          const index = session.records.findIndex((record) => record.key === compaction.boundary_uuid);
          expect(session.records[index]?.note).toMatchObject({ trigger: compaction.trigger, before: compaction.preTokens });
          expect(session.records[index]?.note?.['after'] ?? null).toBe(compaction.postTokens);
          expect(session.parts.find((part) => part.record.key === compaction.boundary_uuid)?.fact.kind).toBe('compaction');
          const path = session.settled.branches.find(({ current }) => current)?.path ?? [];
          const before = path.slice(0, path.indexOf(index));
          if (compaction.after_prompt) expect(promptsOn(session, before).at(-1)).toBe(compaction.after_prompt);
        }
      });

      test('every state but what is live and seen has a reason', () => {
        session.settled.records.forEach((state) => {
          if (state.state === 'live' && state.seen) expect(state.reason).toBeNull();
          else expect(state.reason).toMatch(/^[A-Z].*\.$/);
        });
      });

      for (const checkpoints of given(wanted.checkpoints)) {
        test('checkpoints', () => {
          const folder = `${wanted.cwd}/`;
          for (const checkpoint of checkpoints) {
            const found = session.facts.checkpoints.find(({ id }) => id === checkpoint.prompt_uuid);
            const files = Object.fromEntries((found?.files ?? []).map(({ path, content }) => [
              path.startsWith(folder) ? path.slice(folder.length) : path, content === null ? null : readFileSync(join(store.location.folder, content), 'utf8'),
            ]));
            expect(files, checkpoint.before_prompt).toEqual(Object.fromEntries(Object.entries(checkpoint.files).map(([path, { content }]) => [path, content])));
            // Release 2.1.240 does not record what a shell command changed; nothing is said then.
            if (expected.cli_version === '2.1.332') expect(found?.note !== null).toBe(checkpoint.untracked_changes_in_turn);
            expect(found?.message).toBe(checkpoint.prompt_uuid);
          }
        });
      }

      for (const agent of wanted.subagents ?? []) {
        test(`subagent "${agent.description}"`, () => {
          const child = listed.find((candidate) => candidate.facts.kind === 'subagent' && candidate.facts.title === agent.description);
          if (!child) throw new Error('not found');
          if (agent.agent_id !== null) expect(child.native).toBe(`${wanted.session_id}.agent-${agent.agent_id}`);
          if (agent.file.startsWith('home/')) expect(child.records[0]?.source).toBe(agent.file.replace('home/.claude/', ''));
          const childAnswers = [...child.messages].filter(([key]) => isAnswer(child, key));
          expect(childAnswers).toHaveLength(agent.api_messages);
          expect(sum(childAnswers.map(([, message]) => message.tokens))).toEqual(usage(agent.tokens_deduplicated));
          expect(child.parts.filter((part) => part.fact.kind === 'tool')).toHaveLength(agent.tool_calls);
          expect(child.parts.find((part) => part.record.type === 'user')?.fact.text).toBe(agent.prompt);
          expect(lastAnswerOn(child, child.settled.branches[0]?.path ?? []).text).toBe(agent.answer);
          const parentTitle = /^agent "(.*)"$/.exec(agent.parent)?.[1];
          const parent = parentTitle === undefined ? session : listed.find((candidate) => candidate.facts.title === parentTitle);
          expect(child.edges).toMatchObject([{ parent: parent?.native, kind: 'subagent', certainty: 'recorded' }]);
          const call = parent?.parts.find((part) => part.fact.tool?.callId === child.edges[0]?.callId);
          expect(call?.fact).toMatchObject({ kind: 'tool', title: agent.description, tool: { family: 'subagent' } });
          // Release 1.0.x writes no agent id: its call does not name the session that it started.
          if (call && agent.agent_id !== null) expect(store.body(call).tool?.child).toBe(child.native);
          if (child.facts.agentName !== null) expect(child.facts.agentName).toBe(agent.type);
        });
      }

      for (const todos of given(wanted.todos)) test('todos', () => expect(session.facts.todos.map(({ content, status }) => ({ content, status }))).toEqual(todos));

      for (const wantedTasks of given(wanted.tasks)) {
        test('tasks', () => {
          const tasks = wantedTasks.map(({ subject, status, blockedBy }) => ({ content: blockedBy ? `${subject} (after ${blockedBy.map((id) => `#${id}`).join(', ')})` : subject, status, priority: null }));
          expect(session.facts.todos).toEqual(tasks);
        });
      }

      for (const typed of given(wanted.slash_commands)) {
        test('slash commands', () => {
          const commands = session.parts.filter((part) => part.fact.kind === 'command' && part.fact.text?.startsWith('/')).map((part) => part.fact.text?.trim());
          expect(commands).toEqual(typed.map((command) => command.split(' -> ')[0]));
        });
      }

      for (const prompts of given(wanted.queued_prompts)) {
        test('prompts that were queued and taken in mid-turn', () => {
          const queued = session.parts.filter((part) => part.record.type === 'attachment/queued_command' && part.record.message?.prompt);
          expect(queued.map((part) => part.fact.text)).toEqual(prompts.map(({ text }) => text));
        });
      }

      for (const { path, name: worktree, branch, original_cwd } of given(wanted.worktree)) {
        test('worktree', () => {
          expect(session.facts.worktree).toEqual({ path, name: worktree, branch, originalDirectory: original_cwd });
        });
      }
    });
  }

  test('recorded paths keep the recorded home', () => {
    for (const session of listed) expect(session.facts.directory).toMatch(new RegExp(`^${recordedHome}/`));
  });
});
