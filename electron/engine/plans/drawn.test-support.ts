import type { ContextPart, PlanRefusal, PlanView } from '@shared/model';
import { expect } from 'vitest';
import type { PlanHome } from './home.test-support';

/** A plan that was drawn and can be applied. */
export function drawn(plan: PlanView | PlanRefusal | null): PlanView {
  if (plan === null || !('steps' in plan)) throw new Error(plan?.refused ?? 'no session');
  expect(plan.refused).toBe(null);
  return plan;
}

/** What would be sent to the model at a point, piece by piece, without ids. */
export async function contextOf(at: PlanHome, session: string, point: { at?: string } = {}): Promise<string[]> {
  const pieces: ContextPart[] = [];
  for (;;) {
    const answer = await at.ask('context.get', { session, ...point, from: pieces.length, count: 500, whole: true });
    if (answer === null || 'refused' in answer) throw new Error(answer?.refused ?? 'no session');
    pieces.push(...answer.parts);
    if (pieces.length >= answer.count) return pieces.map(({ role, kind, output, text, tokens }) => `${role} ${kind} ${output} ${tokens} ${text?.text ?? ''}`);
  }
}
