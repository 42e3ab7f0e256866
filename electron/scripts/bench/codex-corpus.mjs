// Makes a large Codex history out of the rollouts of the fixtures: every line is one that Codex wrote (0.98, 0.125, 0.171;
// legacy and paginated; messages, reasoning, plans, commands, patches, token counts, compactions, rollbacks), with ids and
// times of its own and texts as long as real ones. One seed gives one corpus.
//   node codex-corpus.mjs OUT --mb 200 [--seed 42]
// OUT/sessions/YYYY/MM/DD/rollout-*.jsonl, OUT/manifest.json
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { corpusText } from './corpus-text.mjs';
import { changed, once, withFixture } from './templates.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { mb: { type: 'string', default: '200' }, seed: { type: 'string', default: '42' } } });
const out = positionals[0];
if (!out) throw new Error('usage: codex-corpus.mjs OUT --mb N [--seed N]');
const target = Number(values.mb) * 1e6;
const { int, pick, chance, lognormal, hex, uuid, zipf, IDS, NOISE64, prose, code, log } = corpusText(Number(values.seed));

const truth = { bytes: 0, lines: 0, sessions: 0 };
const uuidV7 = /01a22[0-9a-f]{3}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const counter = /\b(call|msg|fc|rs|ctc|resp|ws)_(\d{6})\b/g;

/** Rollouts of one thread of their own, as [opening line, the others]. Those with a compaction come last. */
function templates() {
  const found = [];
  for (const name of ['exec-patch-plan', 'legacy-mode', 'legacy-0125', 'v098', 'compaction']) {
    withFixture('codex', name, (home) => {
      for (const entry of readdirSync(join(home, '.codex/sessions'), { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/-[0-9a-f]{12}\.jsonl$/.test(entry.name) || entry.name.includes('_')) continue;
        const lines = readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
        if (lines.filter(({ type }) => type === 'session_meta').length === 1 && lines.length > 20) found.push({ head: lines[0], rest: lines.slice(1), compacts: name === 'compaction' });
      }
    });
  }
  return found.sort((a, b) => Number(a.compacts) - Number(b.compacts));
}

const isInjected = (text) => text.startsWith('<') || text.startsWith('# AGENTS.md') || text.length > 2000;

function grown(memo, key, text) {
  switch (key) {
    case 'text':
    case 'message':
    case 'last_agent_message':
    case 'summary_text':
      return isInjected(text) ? text : once(memo, text, () => prose(420, 1));
    case 'output':
    case 'aggregated_output':
    case 'stdout':
      return once(memo, text, () => `${text}\n${log(1500)}`);
    case 'arguments':
      return text.startsWith('{"cmd"') ? JSON.stringify({ ...JSON.parse(text), cmd: `rg -n ${zipf(IDS)} src && npm test -- ${zipf(IDS)}` }) : text;
    case 'input':
      return text.replace('*** End Patch', () => `*** Add File: src/${zipf(IDS)}.ts\n${code(900).split('\n').map((line) => `+${line}`).join('\n')}\n*** End Patch`);
    case 'content':
      return once(memo, text, () => code(900));
    case 'unified_diff': {
      const lines = code(600).split('\n');
      return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}`).join('\n')}\n`;
    }
    case 'encrypted_content':
      return NOISE64.substr(int(0, 900000), int(600, 2600));
    default:
      return text;
  }
}

class Rollout {
  constructor(template, start) {
    this.template = template;
    this.id = `019${hex(5)}-${hex(4)}-7${hex(3)}-a${hex(3)}-${hex(12)}`;
    this.time = start;
    this.start = start;
    this.lines = [];
    this.bytes = 0;
    this.ordinal = 0;
    this.totals = {};
    this.run = 0;
    this.memo = new Map();
    this.ids = new Map([[template.head.payload.id, this.id]]);
    this.offset = 0;
    this.put(template.head);
  }

  /** One more round through the pattern: new turns, the same thread. */
  round() {
    this.run++;
    this.offset = this.time - Date.parse(this.template.rest[0].timestamp) + int(5_000, 600_000);
    this.memo = new Map();
    this.ids = new Map([[this.template.head.payload.id, this.id]]);
    const before = { ...this.totals };
    for (const line of this.template.rest) this.put(line, before);
  }

  put(line, before = {}) {
    if (this.run === 0) this.offset = this.time - Date.parse(line.timestamp);
    const made = changed(line, (key, value) => {
      if (typeof value === 'number') return value;
      if (key === 'timestamp') return new Date(Date.parse(value) + this.offset).toISOString();
      return grown(this.memo, key, value)
        .replace(uuidV7, (id) => once(this.ids, id, uuid))
        .replace(counter, (_, kind, number) => `${kind}_${this.run}x${number}`);
    });
    if (made.ordinal !== undefined) made.ordinal = this.ordinal++;
    this.count(made.payload?.info?.total_token_usage, before);
    this.count(made.payload?.thread_token_usage, before);
    this.time = Date.parse(made.timestamp);
    const text = `${JSON.stringify(made)}\n`;
    this.lines.push(text);
    this.bytes += Buffer.byteLength(text);
  }

  /** Totals run on over the rounds. */
  count(usage, before) {
    if (!usage) return;
    for (const key of Object.keys(usage)) {
      usage[key] += before[key] ?? 0;
      this.totals[key] = Math.max(this.totals[key] ?? 0, usage[key]);
    }
  }

  write() {
    const day = new Date(this.start).toISOString();
    const file = join(out, 'sessions', day.slice(0, 10).replaceAll('-', '/'), `rollout-${day.slice(0, 19).replaceAll(':', '-')}-${this.id}.jsonl`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, this.lines.join(''));
    utimesSync(file, this.time / 1000, this.time / 1000);
    truth.bytes += this.bytes;
    truth.lines += this.lines.length;
    truth.sessions++;
  }
}

const patterns = templates();
const compacting = patterns.filter(({ compacts }) => compacts);
const plain = patterns.filter(({ compacts }) => !compacts);
const end = Date.UTC(2026, 7, 1);
// A fifth of the corpus is one long session.
for (let budget = target / 5; truth.bytes < target; budget = Math.min(lognormal(250_000, 1.2), target - truth.bytes)) {
  const rollout = new Rollout(pick(chance(0.1) ? compacting : plain), end - int(0, 90 * 86_400_000));
  do rollout.round();
  while (rollout.bytes < budget);
  rollout.write();
}
writeFileSync(join(out, 'manifest.json'), JSON.stringify(truth));
