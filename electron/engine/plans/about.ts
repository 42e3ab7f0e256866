import type { PlanAbout } from '@shared/model';
import type { OpenedSession } from './session-to-write';

/** Characters of a title that an entry of the journal keeps. */
const nameKept = 200;

/** What a plan does to a session, apart from the session's name. */
export const about = ({ title, write }: OpenedSession, does: string): PlanAbout => ({ name: (title ?? write.native).slice(0, nameKept).toWellFormed(), does });
