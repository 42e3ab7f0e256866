import type { StoreWriter } from '../../store';
import { planAct } from './acts';
import { busy } from './busy';
import { forkWays, planFork } from './fork';
import { perform } from './perform';
import { planRevert, revertWays } from './revert';

/** Forks and reverts of OpenCode's sessions (FORMAT.md, "Writing"). */
export const writer: StoreWriter = { forkWays, planFork, revertWays, planRevert: (session, point, choices) => planRevert(session, point, choices), planAct, busy, perform };
