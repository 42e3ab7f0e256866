import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writer } from '.';
import { claudeCode } from '..';
import type { FileStep, WritePoint, SessionToWrite } from '../../store';
import { applyFiles, drafted } from '../../write-acceptance';
import { bytesOf, within, type WriteHome } from './home.test-support';
import { planRevert } from './revert';

const transcript = 'projects/-home-dev-projects-demo/668bfb69-92c3-4453-af88-82ab42de9ae5.jsonl';

/** Keys of the records that are sent, in order. */
function sentKeys(home: WriteHome, begins: string, point: WritePoint | null): (string | null | undefined)[] {
  const { spine, settled, records } = home.session(begins);
  const branch = point === null || settled.branches[point.branch]?.current === true ? null : point.branch;
  const parts = records.map((record) => record.parts.map((part) => ({ block: part.block, kind: part.kind, size: part.size, outputSize: 0, status: null, result: -1 })));
  return claudeCode.context?.({ spine, settled, branch, before: point?.before ?? null, parts }).sent.map((piece) => (piece.type === 'part' ? spine.records[piece.record]?.key : 'made')) ?? [];
}

test('one line is appended; read back, the session ends at the point, on any of its branches', () =>
  within('claude-code', 'rewind', (home) => {
    const file = join(home.driven.location.folder, transcript);
    const before = readFileSync(file);
    for (const key of ['6e00f263', 'be0a1ee9', '41cde19b']) {
      const point = home.before('668bfb69', key);
      const wanted = sentKeys(home, '668bfb69', point);
      const draft = drafted(planRevert(home.writable('668bfb69'), point, {}));
      const [step] = draft.steps as FileStep[];
      expect(draft.steps).toHaveLength(1);
      expect(step?.before).toEqual({ state: 'present', sha256: createHash('sha256').update(before).digest('hex'), bytes: before.length });
      const pointer: { leafUuid: string } = JSON.parse(bytesOf(step as FileStep).toString());
      expect(pointer).toEqual({ type: 'last-prompt', leafUuid: expect.any(String), explicit: true, sessionId: '668bfb69-92c3-4453-af88-82ab42de9ae5' });
      applyFiles(draft);
      expect(readFileSync(file).subarray(0, before.length)).toEqual(before);
      home.read();
      expect(sentKeys(home, '668bfb69', null)).toEqual(wanted);
      truncateSync(file, before.length);
      home.read();
    }
  }));

test('a last line without an end gets one first', () =>
  within('claude-code', 'rewind', (home) => {
    appendFileSync(join(home.driven.location.folder, transcript), '{"type":"mode","mode":"normal"}');
    home.read();
    const [step] = drafted(planRevert(home.writable('668bfb69'), home.before('668bfb69', '6e00f263'), {})).steps as FileStep[];
    expect(bytesOf(step as FileStep).toString()).toMatch(/^\n\{"type":"last-prompt",.*\}\n$/);
  }));

test('a transcript that went on since it was read is not taken back', () =>
  within('claude-code', 'rewind', (home) => {
    appendFileSync(join(home.driven.location.folder, transcript), '{"type":"user","uuid":"new","parentUuid":null,"message":{"role":"user","content":"one more"}}\n{"type":"mode"}\n');
    expect(planRevert(home.writable('668bfb69'), home.before('668bfb69', '6e00f263'), {})).toEqual({ refused: 'The transcript has lines that were not read yet: something went on in the session. Ask again when they are shown.' });
  }));

test('the end of a branch that was left can be gone back to, the end of the session cannot', () =>
  within('claude-code', 'rewind', (home) => {
    const { settled, native } = home.session('668bfb69');
    const end = (branch: number): WritePoint => ({ branch, path: settled.branches[branch]?.path ?? [], before: null, kept: settled.branches[branch]?.path ?? [] });
    const wanted = sentKeys(home, native, end(0));
    expect(settled.branches[0]?.current).toBe(false);
    applyFiles(drafted(planRevert(home.writable(native), end(0), {})));
    home.read();
    expect(sentKeys(home, native, null)).toEqual(wanted);
    const current = home.session(native).settled.branches.findIndex(({ current: isCurrent }) => isCurrent);
    expect(refusalOf(home.writable(native), home.before(native, null))).toBe('The session ends at this point already.');
    expect(current).toBe(0);
  }));

const refusalOf = (session: SessionToWrite, point: WritePoint) => writer.revertWays?.(session, point)[0]?.refused;

test('a point that stands before a compaction is refused, one behind it is open', () =>
  within('claude-code', 'compact', (home) => {
    const session = home.writable('2b529454');
    const instead = [{ way: 'copy', says: 'A fork up to this point begins a session of its own there, and keeps the original as it is.' }];
    for (const key of ['b101cef5', '74701376', '9c94b858'].slice(0, 1)) {
      expect(planRevert(session, home.before('2b529454', key), {})).toEqual({ refused: 'The conversation was compacted after this point: Claude Code would not go back behind it.', instead });
    }
    expect(refusalOf(session, home.before('2b529454', '74701376'))).toBe('The conversation was compacted after this point: Claude Code would not go back behind it.');
    // What the last compaction kept stands before it in the file, too.
    expect(refusalOf(session, home.before('2b529454', '9c94b858'))).toBe('The conversation was compacted after this point: Claude Code would not go back behind it.');
    expect(refusalOf(session, home.before('2b529454', '6d658c69'))).toBe(null);
    expect(planRevert(session, home.before('2b529454', '39237b09'), {})).toEqual({ refused: 'Nothing was said before this point: there is no conversation to go back to. Begin a new session; files can be taken back alone.' });
  }));

test('what runs now tells the release, what has ended does not', () =>
  within('claude-code', 'rewind', (home) => {
    const point = home.before('668bfb69', '6e00f263');
    const says = (facts: object) => {
      mkdirSync(join(home.driven.location.folder, 'sessions'), { recursive: true });
      writeFileSync(join(home.driven.location.folder, 'sessions', '1.json'), JSON.stringify({ version: '2.1.60', sessionId: 'another', ...facts }));
    };
    says({ pid: 2 ** 30 });
    expect(refusalOf(home.writable('668bfb69'), point)).toBe(null);
    says({ pid: process.pid });
    expect(refusalOf(home.writable('668bfb69'), point)).toBe('Claude Code 2.1.60 works here (so says a Claude Code that runs now); only 2.1.197 and newer are known to go back without a new prompt.');
  }));

test('an older release, a session that is gone, and a subagent are refused', async () => {
  await within('claude-code', 'fork-2.0.77', (home) => {
    expect(refusalOf(home.writable('85e71b27'), home.before('85e71b27', home.session('85e71b27').spine.records.filter(({ prompt }) => prompt)[1]?.key ?? ''))).toBe(
      'Claude Code 2.0.77 works here (so says the newest transcript of the store); only 2.1.197 and newer are known to go back without a new prompt.',
    );
  });
  await within('claude-code', 'rewind', (home) => {
    const point = home.before('668bfb69', '6e00f263');
    expect(refusalOf({ ...home.writable('668bfb69'), isLive: false }, point)).toBe('The session is only in the library: there is no transcript to take back.');
    expect(planRevert(home.writable('668bfb69'), point, { way: 'server' })).toEqual({ refused: 'There is no way “server” to take a session of Claude Code back.' });
  });
});
