import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Nothing of this checkout is imported, so that the bench script can import this file as it is.

/** One session of a family made of Claude Code transcripts. */
export interface Relative {
  name: string;
  /** Name of the session it was forked from; left out for the first. */
  of?: string;
  /** Turns, those that came with the fork included. */
  turns: number;
  /** Of its first turns, so many came with the fork. */
  shared?: number;
  /** Helpers it started, each by a call of its own in its last turns. */
  helpers?: number;
  /** The turn that was edited and sent again: a branch departs before it. */
  editedTurn?: number;
}

const start = Date.parse('2026-03-01T08:00:00Z');
const folder = '.claude/projects/-home-dev-acme';
const uuid = (family: number, kind: number, number: number) => `${String(family).padStart(8, '0')}-${String(kind).padStart(4, '0')}-4000-8000-${String(number).padStart(12, '0')}`;
const usage = { input_tokens: 30, output_tokens: 5, cache_read_input_tokens: 65, cache_creation_input_tokens: 0 };

/** Session id of the relative at a place of the list. */
export const relativeId = (at: number): string => uuid(at + 1, 0, 0);

/** Writes the transcripts of a family into a home. */
export function writeFamily(home: string, relatives: readonly Relative[]): void {
  mkdirSync(join(home, folder), { recursive: true });
  const written = new Map<string, { lines: Record<string, unknown>[]; last: string | null }[]>();
  relatives.forEach((relative, at) => {
    const session = relativeId(at);
    const turns = turnsOf(relative, at, session, (relative.of === undefined ? [] : (written.get(relative.of) ?? [])).slice(0, relative.shared ?? 0));
    written.set(relative.name, turns);
    const lines = turns.flatMap((turn) => turn.lines.map((line) => JSON.stringify({ ...line, sessionId: session })));
    // A fork begins with the words of its source; the title tells them apart.
    lines.push(JSON.stringify({ type: 'custom-title', customTitle: relative.name, sessionId: session }));
    writeFileSync(join(home, folder, `${session}.jsonl`), `${lines.join('\n')}\n`);
  });

  function turnsOf(relative: Relative, at: number, session: string, shared: { lines: Record<string, unknown>[]; last: string | null }[]) {
    const turns = [...shared];
    let clock = start + at * 600_000;
    const common = (parentUuid: string | null, id: string) => ({
      parentUuid, isSidechain: false, userType: 'external', cwd: '/home/dev/acme', version: '2.1.300', gitBranch: 'main', uuid: id, timestamp: new Date((clock += 1_000)).toISOString(),
    });
    const answer = (id: string, parent: string | null, content: unknown[]) => ({
      ...common(parent, id), type: 'assistant', message: { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content, stop_reason: 'end_turn', usage },
    });
    let last = shared.at(-1)?.last ?? null;
    for (let turn = shared.length; turn < relative.turns; turn += 1) {
      const lines: Record<string, unknown>[] = [];
      const say = (number: number, text: string) => {
        const [asked, answered] = [uuid(at + 1, 1, number), uuid(at + 1, 2, number)];
        lines.push({ ...common(last, asked), type: 'user', message: { role: 'user', content: text } }, answer(answered, asked, [{ type: 'text', text: `Answer ${number} of ${relative.name}` }]));
        return answered;
      };
      if (relative.editedTurn === turn) say(1_000 + turn, `${relative.name}, first thought of turn ${turn}`);
      last = say(turn, turn === 0 ? relative.name : `${relative.name}, turn ${turn}`);
      if (turn === relative.turns - 1) {
        for (let helper = 0; helper < (relative.helpers ?? 0); helper += 1) {
          const call = `toolu_${at + 1}_${helper}`;
          const [called, result] = [uuid(at + 1, 3, helper), uuid(at + 1, 4, helper)];
          lines.push(
            answer(called, last, [{ type: 'tool_use', id: call, name: 'Task', input: { description: `Helper ${helper} of ${relative.name}`, prompt: `Look at file ${helper}`, subagent_type: 'general-purpose' } }]),
            { ...common(called, result), type: 'user', message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: `Helper ${helper} is done.` }] } },
          );
          last = result;
          writeHelper(session, at, helper, call, relative.name, common);
        }
      }
      turns.push({ lines, last });
    }
    return turns;
  }

  function writeHelper(session: string, at: number, helper: number, call: string, name: string, common: (parent: string | null, id: string) => Record<string, unknown>): void {
    const agentId = `a${String(at).padStart(4, '0')}${String(helper).padStart(12, '0')}`;
    const place = join(home, folder, session, 'subagents');
    const [asked, answered] = [uuid(at + 1, 5, helper), uuid(at + 1, 6, helper)];
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `agent-${agentId}.meta.json`), JSON.stringify({ agentType: 'general-purpose', description: `Helper ${helper} of ${name}`, toolUseId: call, spawnDepth: 1 }));
    const lines = [
      { ...common(null, asked), isSidechain: true, agentId, sessionId: session, type: 'user', message: { role: 'user', content: `Look at file ${helper}` } },
      { ...common(asked, answered), isSidechain: true, agentId, sessionId: session, type: 'assistant', message: { id: `msg_${answered}`, type: 'message', role: 'assistant', model: 'claude-opus-4-5', content: [{ type: 'text', text: `Helper ${helper} has looked.` }], stop_reason: 'end_turn', usage } },
    ];
    writeFileSync(join(place, `agent-${agentId}.jsonl`), `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
  }
}

/** A family of so many sessions: forks of forks, some with helpers; the same at every call. */
export function largeFamily(count: number): Relative[] {
  const relatives: Relative[] = [{ name: 'Add a retry to the uploader', turns: 12, helpers: 9 }];
  let made = 10;
  while (made < count) {
    const at = relatives.length;
    const helpers = at % 9 === 0 ? Math.min(16, count - made - 1) : 0;
    relatives.push({ name: `Try way ${at}`, of: relatives[at < 14 ? 0 : Math.floor(at / 7)]?.name ?? '', turns: 12, shared: 3 + (at % 7), helpers, ...(at % 11 === 0 && { editedTurn: 11 }) });
    made += 1 + helpers;
  }
  return relatives;
}
