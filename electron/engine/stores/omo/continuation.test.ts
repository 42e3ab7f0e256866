import { expect, test } from 'vitest';
import { readGoal, readGoalList, readLoop, readMarker } from './continuation';
import { readTask, readTeam } from './team';

const bytes = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

test('a marker is active when any source is; a stop does not veto it', () => {
  const marker = bytes({ sessionID: 'ses_1', updatedAt: '2026-01-01T00:00:00Z', sources: { stop: { state: 'stopped' }, 'background-task': { state: 'active', reason: '1 background task(s) active' }, odd: null } });
  expect(readMarker(marker, 'ses_1.json').value).toEqual({
    session: 'ses_1', updated: '2026-01-01T00:00:00.000Z', active: true,
    sources: [{ name: 'stop', state: 'stopped', reason: null, updated: null }, { name: 'background-task', state: 'active', reason: '1 background task(s) active', updated: null }],
  });
  expect(readMarker(bytes('{}'), 'ses_2.json').value).toEqual({ session: 'ses_2', updated: null, active: false, sources: [] });
  expect(readMarker(bytes('{"sess'), 'ses_2.json')).toEqual({ problem: 'It is no JSON.' });
});

test('times of a goal are seconds, and its file name stands for a session it does not name', () => {
  expect(readGoal(bytes({ goal: { objective: 'x', status: 'paused', createdAt: 1_795_964_884, tokensUsed: 3 } }), 'opencode%3Ases_1.json').value).toMatchObject({
    session: 'ses_1', objective: 'x', status: 'paused', created: '2026-11-29T15:08:04.000Z', tokensUsed: 3, completed: null,
  });
  expect(readGoal(bytes({ goal: null }), 'a.json')).toEqual({ problem: 'It holds no goal.' });
  expect(readGoal(bytes({ goal: { createdAt: 1e300 } }), '%E0%A4%A.json').value).toMatchObject({ session: '%E0%A4%A', created: null, status: 'unknown' });
});

test('a list of goals tells what they are judged by', () => {
  const list = bytes({ activeGoalId: 'g', goals: [null, { id: 'g', title: 'Ship', status: 'in_progress', successCriteria: [{ scenario: 'It builds', status: 'pass' }] }] });
  expect(readGoalList(list, 'ses_1').value).toEqual({ session: 'ses_1', active: 'g', goals: [{ id: 'g', title: 'Ship', status: 'in_progress', criteria: [{ text: 'It builds', status: 'pass' }] }] });
});

test('a loop is its front matter and its prompt', () => {
  expect(readLoop(bytes('---\r\nactive: true\niteration: 2\nmax_iterations: many\ncompletion_promise: "A: B"\nultrawork: true\n---\nDo it\n---\nagain\n')).value).toEqual({
    session: null, active: true, iteration: 2, most: null, promise: 'A: B', started: null, strategy: null, ultrawork: true, prompt: 'Do it\n---\nagain',
  });
  expect(readLoop(bytes('no front matter'))).toEqual({ problem: 'It has no front matter.' });
  expect(readLoop(bytes('---\nactive: true\n'))).toEqual({ problem: 'It has no front matter.' });
});

test('teams and tasks with missing and odd fields are read as far as they go', () => {
  expect(readTeam(bytes({ members: [null, { name: 'a', sessionId: 'opencode:ses_1', model: 'm' }, 5], createdAt: 'never' }), 'run-1').value).toEqual({
    id: 'run-1', name: null, status: 'unknown', created: null, lead: null, members: [{ name: 'a', session: 'ses_1', agent: null, category: null, model: null, status: 'unknown' }],
  });
  expect(readTask(bytes({ subject: 7, blockedBy: ['T-1', 2] }), 'T-2.json').value).toEqual({
    id: 'T-2', subject: '', description: '', status: 'unknown', session: null, owner: null, blocks: [], blockedBy: ['T-1'],
  });
});
