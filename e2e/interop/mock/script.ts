/** What the scripted model answers, and what it was sent: the same for all three protocols. */
export interface Step {
  reasoning?: string;
  text?: string;
  calls?: { name: string; input: object | string }[];
}

/** Steps that answer a prompt in which these words stand; the last one is repeated. */
export interface Rule {
  when: string;
  steps: Step[];
}

/** One piece of a conversation, as it is compared: `user: text`, `call Write {…}`, `output text`. */
export type Piece = string;

/** A request as far as the conversation goes; what each program adds of its own is taken out by its protocol. */
export interface Conversation {
  pieces: Piece[];
  /** The last prompt of a person, and how many replies follow it. */
  prompt: string;
  replies: number;
  /** Titles, summaries and the like are not turns. */
  purpose: 'turn' | 'title' | 'summary';
}

export function answerTo(rules: readonly Rule[], { prompt, replies, purpose }: Conversation): Step {
  if (purpose === 'title') return { text: 'Tide tables' };
  if (purpose === 'summary') return { text: 'Summary of the work so far.' };
  const rule = rules.findLast(({ when }) => prompt.includes(when));
  return rule?.steps[Math.min(replies, rule.steps.length - 1)] ?? { text: 'Understood.' };
}

/** With sorted keys: programs write the same input in their own order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (inner !== null && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner));
}

export const callPiece = (name: string, input: string): Piece => {
  try {
    return `call ${name} ${canonical(JSON.parse(input))}`;
  } catch {
    return `call ${name} ${input}`;
  }
};
