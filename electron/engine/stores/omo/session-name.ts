/** A session as an overlay names it. */
export interface SessionName {
  /** What stood before the colon; bare names are OpenCode's. */
  agent: string;
  native: string;
}

/** Strips the prefix that newer files put before a session's id (`opencode:ses_x`); older ones write it bare. */
export function sessionName(text: string): SessionName {
  const [, agent, native] = /^([a-z][a-z0-9-]*):(.+)$/s.exec(text) ?? [];
  return agent !== undefined && native !== undefined ? { agent, native } : { agent: 'opencode', native: text };
}
