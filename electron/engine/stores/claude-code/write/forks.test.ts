import { fixtureNames, openFixture } from '../../../../../e2e/fixtures';
import { acceptForks } from '../../write-acceptance';
import { claudeCode } from '..';
import { keptLine } from './kept';

/**
 * Every home in the slow run. The usual one takes those that differ most in what a fork has to carry or leave out:
 * subagents, a compaction, forks of forks, an end by force, each kind of rewind, titles, a worktree, the oldest lines, and
 * all that were made after damage seen in the field (they are small).
 */
const isSlow = process.env['RETRACE_SLOW'] === '1';
const usual = ['agents-print', 'compact', 'features', 'fork', 'fork-1.0.16', 'killed', 'rewind', 'rewind-root', 'rewind-summarize', 'titles', 'worktree'];
const names = fixtureNames('claude-code').filter((name) => isSlow || usual.includes(name));

const cases = [...names.map((name) => ({ name, open: () => openFixture('claude-code', name) })), ...fixtureNames('field').filter((name) => name.startsWith('cc-')).map((name) => ({ name, open: () => openFixture('field', name) }))];

acceptForks(claudeCode, cases, { leavesOut: (session, point) => keptLine(session, point).leftOut });
