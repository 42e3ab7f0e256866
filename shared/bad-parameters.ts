import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What a parameter is called where its own name would not be understood: alone, and several of it. */
const names: Record<string, { one: string; many?: string }> = {
  a: { one: 'name of the session' },
  at: { one: 'message' },
  b: { one: 'name of the session' },
  before: { one: 'message' },
  entry: { one: 'name of the entry' },
  from: { one: 'file or link' },
  host: { one: 'name of the share server' },
  id: { one: 'name of the entry' },
  key: { one: 'name' },
  part: { one: 'name of the message or part' },
  plan: { one: 'name of the plan' },
  projects: { one: 'project', many: 'projects' },
  session: { one: 'name of the session' },
  servers: { one: 'address of the share server', many: 'share servers' },
  sessions: { one: 'session', many: 'sessions' },
  takes: { one: 'choice for a file', many: 'choices for files' },
  words: { one: 'word to mask', many: 'words to mask' },
};

/** Numbers that a call has under such names. */
const numbers: Record<string, string> = { from: 'first number', to: 'last number' };

const count = (limit: number | bigint): string => limit.toLocaleString('en-US');

/**
 * Why a call was not taken, as a sentence for a person: limits of the contract are met by what was typed. `path` names
 * the innermost parameter; a place in a list goes by the name of the list.
 */
export function sayBadParameters(method: string, issues: readonly Issue[]): string {
  const issue = innermost(issues);
  const own = issue?.path.findLast((step) => typeof step === 'string');
  if (!issue || own === undefined) return `${method} was called otherwise than agreed.`;
  const isNumber = 'origin' in issue && issue.origin !== 'string' && issue.origin !== 'array';
  const { one, many = one } = isNumber ? { one: numbers[own] ?? own } : (names[own] ?? { one: own });
  if (issue.code === 'too_big') {
    const most = count(issue.maximum);
    if (issue.origin === 'string') return `The ${one} is too long: it may have ${most} characters at most.`;
    return issue.origin === 'array' ? `There are too many ${many}: at most ${most} are taken at once.` : `The ${one} is too large: it may be ${most} at most.`;
  }
  if (issue.code === 'too_small') {
    const least = count(issue.minimum);
    if (issue.origin === 'string') return least === '1' ? `The ${one} is empty.` : `The ${one} is too short: it has ${least} characters at least.`;
    return issue.origin === 'array' ? `There are too few ${many}: at least ${least} ${least === '1' ? 'is' : 'are'} needed.` : `The ${one} is too small: it is ${least} at least.`;
  }
  return `The ${one} is none that ${method} takes.`;
}

/** Where one of several forms is taken, the limit that one of them names tells more than that none fits. */
function innermost(issues: readonly Issue[]): Issue | undefined {
  const [issue] = issues;
  const limit = issue?.code === 'invalid_union' ? issue.errors.flat().find(({ code }) => code === 'too_big' || code === 'too_small') : undefined;
  return limit && issue ? { ...limit, path: [...issue.path, ...limit.path] } : issue;
}
