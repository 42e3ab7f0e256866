// `npm run bench`: makes a corpus from a seed and measures the built engine on it against two floors, in one run.
//   npm run -s bench -- [--mb 200] [--sessions 400] [--biggest 10000] [--page] [--agent claude,codex,opencode] [--idle 60]
// Prints one JSON document. P is what Node needs to read and parse every line or row, I what a plain full-text index costs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { claudeCorpus, measureClaude } from './bench/claude.mjs';
import { measureStore } from './bench/stores.mjs';

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '200' }, sessions: { type: 'string' }, biggest: { type: 'string' }, seed: { type: 'string', default: '42' }, page: { type: 'boolean', default: false },
    agent: { type: 'string', default: 'claude,codex,opencode' }, idle: { type: 'string', default: '60' },
  },
});
const agents = values.agent.split(',');
const megabytes = Number(values.mb);
const { seed } = values;
const root = join(import.meta.dirname, '../..');
const say = (text) => process.stderr.write(`${text}\n`);
const report = {};

if (agents.includes('claude')) {
  say('Claude Code…');
  const corpus = claudeCorpus(root, { megabytes, sessions: values.sessions ?? String(megabytes * 2), biggest: values.biggest ?? String(megabytes * 50), seed });
  report.claude = await measureClaude(root, corpus, say);
  if (values.page) {
    spawnSync(process.execPath, [join(root, 'e2e/scripts/bench-page.mjs'), corpus], { stdio: ['ignore', 'inherit', 'inherit'] });
    spawnSync(process.execPath, [join(root, 'e2e/scripts/bench-map.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] });
    spawnSync(process.execPath, [join(root, 'e2e/scripts/bench-diff.mjs')], { stdio: ['ignore', 'inherit', 'inherit'] });
  }
}
for (const agent of agents.filter((name) => name !== 'claude')) {
  say(`${agent}…`);
  report[agent] = await measureStore(root, agent, { megabytes, seed, idleSeconds: Number(values.idle) });
}
console.log(JSON.stringify(report, null, 2));
