import { expect, test } from 'vitest';
import { callOf, commandLine } from './calls';
import { imageOf, outputOf, outputOfItem } from './outputs';

const shown = (item: Record<string, unknown>) => {
  const call = callOf(item);
  return [call.name, call.family, call.target, call.input()];
};

test('every kind of call says what it acts on', () => {
  const call = (name: string, args: unknown) => shown({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: 'c' });
  expect(call('exec_command', { cmd: 'ls -l', workdir: '/p' })).toEqual(['exec_command', 'shell', 'ls -l', 'ls -l']);
  expect(call('shell', { command: ['bash', '-lc', 'cat a'] })).toEqual(['shell', 'shell', 'cat a', 'cat a']);
  expect(call('shell', { command: ['git', 'commit', '-m', "it's"] })).toEqual(['shell', 'shell', "git commit -m 'it'\\''s'", "git commit -m 'it'\\''s'"]);
  expect(call('shell_command', { command: 'npm test' })).toEqual(['shell_command', 'shell', 'npm test', 'npm test']);
  expect(call('github__create_issue', { name: 'x' })).toEqual(['github__create_issue', 'mcp', 'x', '{\n  "name": "x"\n}']);
  expect(call('request_user_input', {})).toEqual(['request_user_input', 'question', null, null]);
  expect(shown({ type: 'function_call', name: 'exec_command', arguments: '{"cmd": cut', call_id: 'c' })).toEqual(['exec_command', 'shell', null, '{"cmd": cut']);
  expect(shown({ type: 'local_shell_call', action: { command: ['bash', '-lc', 'pwd'] }, call_id: 'c' })).toEqual(['local_shell', 'shell', 'pwd', 'pwd']);
  expect(shown({ type: 'web_search_call', action: { type: 'open_page', url: 'https://example.org' } })).toEqual(['web_search', 'web', 'https://example.org', '{\n  "type": "open_page",\n  "url": "https://example.org"\n}']);
  expect(commandLine(['powershell.exe', '-Command', 'Get-Date'])).toBe('Get-Date');
});

const output = (value: unknown) => {
  const { status, text, exitCode, durationMs } = outputOf({ output: value });
  return [status, text, exitCode, durationMs];
};

test('outputs: text with a head, JSON in a text, parts, refusals', () => {
  expect(output('Chunk ID: 5e2687\nWall time: 0.1045 seconds\nProcess exited with code 3\nOriginal token count: 2\nOutput:\none\nOutput:\ntwo\n')).toEqual(['error', 'one\nOutput:\ntwo\n', 3, 105]);
  expect(output('Chunk ID: 1\nWall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\n')).toEqual(['running', '', null, 500]);
  expect(output('Exit code: 0\nWall time: 2 seconds\nOutput:\ndone')).toEqual(['completed', 'done', 0, 2_000]);
  expect(output('{"output":"err\\n","metadata":{"exit_code":5,"duration_seconds":0.1}}')).toEqual(['error', 'err\n', 5, 100]);
  expect(output('{"timed_out":false}')).toEqual(['completed', '{"timed_out":false}', null, null]);
  expect(output('Wall time: 1.4 seconds\naborted by user')).toEqual(['interrupted', 'Wall time: 1.4 seconds\naborted by user', null, 1_400]);
  expect(output('apply_patch verification failed: no such lines')).toEqual(['error', 'apply_patch verification failed: no such lines', null, null]);
  expect(output('patch rejected by user')).toEqual(['denied', 'patch rejected by user', null, null]);
  expect(output('a plain text\nOutput:\nthat is no head')).toEqual(['completed', 'a plain text\nOutput:\nthat is no head', null, null]);
  expect(outputOf({ output: [{ type: 'input_text', text: 'Script completed\nWall time 0.2 seconds\nOutput:\n' }, { type: 'input_image', image_url: 'data:image/png;base64,AAAA' }] })).toMatchObject({
    status: 'completed', text: '', durationMs: 200, images: [{ mime: 'image/png', data: 'AAAA' }],
  });
  expect(outputOf({ output: '{"agent_id":"x","nickname":"Gauss"}' }).child).toBe('x');
});

test('ends of commands and patches as items tell them', () => {
  expect(outputOfItem({ type: 'CommandExecution', status: 'failed', exit_code: 2, aggregated_output: 'no', duration: { secs: 1, nanos: 500_000_000 } })).toMatchObject({ status: 'error', text: 'no', exitCode: 2, durationMs: 1_500 });
  expect(outputOfItem({ type: 'FileChange', status: 'declined', changes: { '/a': { type: 'add', content: 'x\n' } }, stderr: 'patch rejected by user' })).toMatchObject({ status: 'denied', text: 'patch rejected by user' });
  expect(outputOfItem({ type: 'patch_apply_end', success: false, changes: {} })).toMatchObject({ status: 'error', edits: [] });
  expect(imageOf('https://example.org/a.png')).toBe(null);
  expect(imageOf('data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=')).toEqual({ mime: 'image/svg+xml', data: 'PHN2Zz4=' });
});
