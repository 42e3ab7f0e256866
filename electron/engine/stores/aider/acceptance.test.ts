import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureNames, openFixture } from '../../../../e2e/fixtures';
import { acceptStore, type AcceptanceCase, type HomeChange } from '../acceptance';
import { aiderWith, written } from './fixture-home.test-support';

const cases: AcceptanceCase[] = [
  ...fixtureNames('aider').map((name) => ({ name: `aider/${name}`, open: () => openFixture('aider', name) })),
  { name: 'field/aider-fences', open: () => openFixture('field', 'aider-fences') },
];

const changesOf = (on: string, place: string): HomeChange[] => {
  const file = (home: string) => join(home, place, '.aider.chat.history.md');
  return [
    { name: 'a history was cut to half', on, apply: (home) => truncateSync(file(home), Math.floor(readFileSync(file(home)).length / 2)) },
    { name: 'a history was replaced by its last lines', on, apply: (home) => writeFileSync(file(home), readFileSync(file(home), 'utf8').split('\n').slice(9).join('\n')) },
    { name: 'a torn line was added', on, apply: (home) => appendFileSync(file(home), '\n#### and the') },
    { name: 'a run was added', on, apply: (home) => appendFileSync(file(home), `${written.run('2026-12-01 08:00:00', 'Aider v0.86.1')}${written.ask('go on')}${written.answer('Yes.')}`) },
    { name: 'the last turn went on', on, apply: (home) => appendFileSync(file(home), `${written.say('Applied edit to calc.py')}${written.ask('thanks')}`) },
    { name: 'a history went away', on, apply: (home) => rmSync(file(home)) },
  ];
};

const folders = ['proj/calc', 'proj/attr', 'proj/inter', 'proj/edges', 'proj', 'projects/ledger'];
acceptStore(aiderWith(folders), cases, [...changesOf('aider/basic', 'proj/calc'), ...changesOf('aider/interactive', 'proj/inter'), ...changesOf('field/aider-fences', 'projects/ledger')]);
