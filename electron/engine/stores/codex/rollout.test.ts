import { expect, test } from 'vitest';
import { drive, type DrivenSession } from './drive.test-support';
import { inHome, legacy, Paginated, place, threadA, turnOf } from './home.test-support';

const texts = (session: DrivenSession | undefined, state: string) => session?.parts.filter(({ fact, settled }) => fact.kind === 'text' && !fact.injected && settled.state === state).map(({ body }) => body.text);
const meta: [string, unknown] = ['session_meta', { id: threadA, timestamp: '2026-11-29T15:53:01.277Z', cwd: '/p', cli_version: '0.125.0', source: 'cli' }];
const turn = (number: number, text: string): [string, unknown][] => [
  ['event_msg', { type: 'task_started', turn_id: turnOf(number) }], ['event_msg', { type: 'user_message', message: text }], ['event_msg', { type: 'agent_message', message: `answer to ${text}` }],
  ['event_msg', { type: 'task_complete', turn_id: turnOf(number) }],
];
const count = (input: number, output: number, last = [input, output]): [string, unknown] => ['event_msg', {
  type: 'token_count', info: { total_token_usage: { input_tokens: input, cached_input_tokens: 10, output_tokens: output, reasoning_output_tokens: 1 }, last_token_usage: { input_tokens: last[0], output_tokens: last[1] } },
}];
const totals = (session: DrivenSession | undefined) => [...(session?.messages.values() ?? [])].map(({ tokens }) => tokens).filter((tokens) => tokens !== null);

test('rollbacks take back the last turns shown; a turn without a message counts, and what was taken back before does not', () =>
  inHome((home) => {
    const compaction: [string, unknown][] = [['event_msg', { type: 'task_started', turn_id: turnOf(9) }], ['compacted', { message: 'in short' }], ['event_msg', { type: 'task_complete', turn_id: turnOf(9) }]];
    const back = (turns: number): [string, unknown] => ['event_msg', { type: 'thread_rolled_back', num_turns: turns }];
    home.write(place(threadA), legacy([meta, ...turn(1, 'one'), ...turn(2, 'two'), back(1), ...turn(3, 'three'), ...compaction, back(2), ...turn(4, 'four'), back(9), ...turn(5, 'five')]));
    const session = drive(home.path).sessions.get(threadA);
    expect(texts(session, 'live')).toEqual(['five', 'answer to five']);
    expect(texts(session, 'reverted')).toEqual(['one', 'answer to one', 'two', 'answer to two', 'three', 'answer to three', 'four', 'answer to four']);
    expect(session?.settled.uncounted?.length).toBe(4 * 4 + 3);
    expect(session?.parts.find(({ body }) => body.text === 'two')?.settled.reason).toBe('Taken back with the last 1 turn; the lines stay in the file.');
  }));

test('running totals: repeats count nothing, rises count once, a fall begins again', () =>
  inHome((home) => {
    home.write(place(threadA), legacy([
      meta, ...turn(1, 'one').slice(0, 3), count(100, 20), count(100, 20), ...turn(2, 'two').slice(0, 3), count(250, 30), ['event_msg', { type: 'token_count', info: null }],
      ...turn(3, 'three').slice(0, 3), count(40, 5),
    ]));
    expect(totals(drive(home.path).sessions.get(threadA))).toEqual([
      { input: 90, output: 19, reasoning: 1, cacheRead: 10, cacheWrite: 0 }, { input: 150, output: 10, reasoning: 0, cacheRead: 0, cacheWrite: 0 }, { input: 30, output: 4, reasoning: 1, cacheRead: 10, cacheWrite: 0 },
    ]);
  }));

test('a record for each request counts once a response, for this thread only, and makes totals useless', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA).turn('say one');
    const usage = (thread: string, response: string) => ({ thread_id: thread, response_id: response, usage: { input_tokens: 50, cached_input_tokens: 20, cache_write_input_tokens: 5, output_tokens: 9, reasoning_output_tokens: 4 } });
    rollout.add('token_usage_record', usage(threadA, 'r1')).add('token_usage_record', usage(threadA, 'r1')).add('token_usage_record', usage('another', 'r2'));
    rollout.add('event_msg', count(90, 9)[1]).turn('say two').add('token_usage_record', usage(threadA, 'r3'));
    home.write(place(threadA), rollout.text());
    const own = { input: 25, output: 5, reasoning: 4, cacheRead: 20, cacheWrite: 5 };
    const session = drive(home.path).sessions.get(threadA);
    expect(totals(session)).toEqual([own, own]);
  }));

test('a request whose answer is not recorded is still billed, and says so', () =>
  inHome((home) => {
    const rollout = new Paginated(threadA).turn('say one').add('event_msg', { type: 'task_started', turn_id: turnOf(7) });
    rollout.add('token_usage_record', { thread_id: threadA, response_id: 'r1', usage: { input_tokens: 5, output_tokens: 1 } }).add('event_msg', { type: 'turn_aborted', turn_id: turnOf(7), reason: 'interrupted' });
    home.write(place(threadA), rollout.text());
    const session = drive(home.path).sessions.get(threadA);
    expect(totals(session)).toEqual([{ input: 5, output: 1, reasoning: 0, cacheRead: 0, cacheWrite: 0 }]);
    expect(session?.parts.filter(({ fact }) => fact.kind === 'step').map(({ fact }) => fact.title)).toEqual(['A request whose answer is not recorded']);
  }));

test('a call without a result was interrupted when its turn is over, and runs while the file is fresh', () => {
  const call = (rollout: Paginated) => rollout.add('event_msg', { type: 'task_started', turn_id: turnOf(7) }).add('response_item', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"sleep 9"}', call_id: 'c9' });
  const seen = (rollout: Paginated, now?: number) => {
    let found: unknown = null;
    inHome((home) => {
      home.write(place(threadA), rollout.text());
      const { sessions } = drive(home.path, undefined, now);
      const session = sessions.get(threadA);
      found = [session?.parts.at(-1)?.fact.tool?.status, session?.settled.condition];
    });
    return found;
  };
  expect(seen(call(new Paginated(threadA)))).toEqual(['interrupted', 'interrupted']);
  expect(seen(call(new Paginated(threadA)), Date.UTC(2026, 10, 29, 15, 55))).toEqual(['running', 'finished']);
  expect(seen(call(new Paginated(threadA)).add('event_msg', { type: 'task_complete', turn_id: turnOf(7) }))).toEqual(['interrupted', 'finished']);
  const ranOn = call(new Paginated(threadA)).add('response_item', { type: 'function_call_output', call_id: 'c9', output: 'Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n' });
  expect(seen(ranOn)).toEqual(['unknown', 'interrupted']);
});

test('changes of model, effort and folder are told where they happen', () =>
  inHome((home) => {
    const context = (model: string, effort: string | null, cwd = '/home/dev/projects/tidepool') => ({ turn_id: turnOf(1), cwd, model, effort });
    const rollout = new Paginated(threadA).add('turn_context', context('gpt-5.5', null)).turn('say one').add('turn_context', context('gpt-5.5', null)).turn('say two').add('turn_context', context('gpt-6', 'high', '/elsewhere'));
    home.write(place(threadA), rollout.text());
    const session = drive(home.path).sessions.get(threadA);
    expect(session?.parts.filter(({ fact }) => fact.kind === 'notice').map(({ fact }) => fact.title)).toEqual(['Model: gpt-5.5 → gpt-6 · Reasoning effort: default → high · Folder: /home/dev/projects/tidepool → /elsewhere']);
    expect([session?.facts.model, session?.facts.models]).toEqual(['gpt-6', ['gpt-5.5', 'gpt-6']]);
    expect(session?.facts.notices.map(({ text }) => text)).toEqual(['It began in /home/dev/projects/tidepool and last worked in /elsewhere.']);
  }));

test('a helper whose own history is said to begin behind all its lines is shown whole', () =>
  inHome((home) => {
    const source = { subagent: { thread_spawn: { parent_thread_id: 'parent', depth: 1, agent_nickname: 'Gauss', agent_role: 'scout' } } };
    home.write(place(threadA), new Paginated(threadA, { source, subagent_history_start_ordinal: 16 }).turn('say one').text());
    const session = drive(home.path).sessions.get(threadA);
    expect(texts(session, 'live')).toEqual(['say one', 'You asked me to say one.']);
    expect([session?.facts.agentName, session?.edges.map(({ parent }) => parent)]).toEqual(['Gauss (scout)', ['parent']]);
  }));

test('a thread that names itself as its parent hangs on nothing', () =>
  inHome((home) => {
    home.write(place(threadA), new Paginated(threadA, { forked_from_id: threadA }).turn('say one').text());
    expect(drive(home.path).sessions.get(threadA)?.edges).toEqual([]);
  }));

test('a person’s own command is a command where no item tells it', () =>
  inHome((home) => {
    const text = '<user_shell_command>\n<command>\necho mine\n</command>\n<result>\nExit code: 0\n</result>\n</user_shell_command>';
    home.write(place(threadA), legacy([meta, ['response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }], ...turn(1, 'one')]));
    const session = drive(home.path).sessions.get(threadA);
    expect(session?.parts.filter(({ fact }) => fact.kind === 'command').map(({ fact, record, body }) => [fact.title, record.message?.role, record.message?.counted, body.text])).toEqual([['!echo mine', 'user', false, text]]);
    expect(session?.facts.title).toBe('one');
  }));
