import { join } from 'node:path';
import type { DraftStep } from '../stores/store';
import { changes, creates, type PlanHome, present } from './home.test-support';
import { copyOfSession } from './rows.test-support';

/** A fork adds files, a line and rows; a revert changes five files. */
export function killSteps(home: PlanHome, kind: string, mark: string): DraftStep[] {
  const file = (name: string) => join(home.project, name);
  if (kind === 'change') {
    return [
      ...['a', 'b', 'c'].map((name) => changes(home.project, file(`${name}.txt`), `${name} is other now\n${'x'.repeat(200_000)}`)),
      { kind: 'file', path: file('d.txt'), within: home.project, before: present(file('d.txt')), after: null, why: 'It goes.' },
      creates(home.project, file('new/e.txt'), 'back\n'),
    ];
  }
  return [
    creates(home.project, file('new/deep/session.jsonl'), '{"a":1}\n'.repeat(20_000)),
    { kind: 'file', path: file('a.txt'), within: home.project, before: present(file('a.txt')), after: { append: Buffer.from('a line\n') }, why: 'A line of an index.' },
    { ...copyOfSession(home.home, mark), expects: [] },
    creates(home.project, file('f.txt'), 'f\n'),
  ];
}
