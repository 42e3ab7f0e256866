/** Why a guarded write is not made, in one sentence for the person: caught where plans answer, never a fault. */
export class Refused extends Error {
  override name = 'Refused';
  constructor(
    reason: string,
    /** The state is not the one the plan was made from: a new plan can be asked for. */
    readonly stale = false,
  ) {
    super(reason);
  }
}

/** What the system or SQLite said, as a sentence. */
export function saidOf(error: unknown): string {
  // A folder that is held has a name of the system's own, which tells a person nothing.
  const message = (error instanceof Error ? error.message : String(error)).replaceAll(/\/proc\/self\/fd\/\d+\//g, '');
  return message.endsWith('.') ? message : `${message}.`;
}
