import type { StoreWriter } from '../../store';
import { planAct } from './acts';
import { busy } from './busy';
import { forkWays, planFork } from './fork';
import { perform } from './perform';
import { planRevert, revertWays } from './revert';

/** Guarded writes to Codex's store (FORMAT.md, "Writing"). */
export const writer: StoreWriter = { forkWays, planFork, revertWays, planRevert, planAct, busy, perform };
