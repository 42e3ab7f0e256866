import { fixtureNames, openFixture } from '../../../../../e2e/fixtures';
import { acceptForks } from '../../write-acceptance';
import { claudeCode } from '..';
import { keptLine } from './kept';

const cases = [...fixtureNames('claude-code').map((name) => ({ name, open: () => openFixture('claude-code', name) })), ...fixtureNames('field').filter((name) => name.startsWith('cc-')).map((name) => ({ name, open: () => openFixture('field', name) }))];

acceptForks(claudeCode, cases, { leavesOut: (session, point) => keptLine(session, point).leftOut });
