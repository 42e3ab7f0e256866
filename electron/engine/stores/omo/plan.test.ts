import { expect, test } from 'vitest';
import { boxesOf, type PlanRule, progressOf } from './plan';

const plan = (...lines: string[]): string => lines.join('\n');
const counts = (text: string, rule: PlanRule): string => {
  const { done, total } = progressOf(text, rule);
  return `${done}/${total}`;
};

/** Everything the three versions judge differently, in one file. */
const everything = plan(
  '# Everything', '- [ ] outside the sections', '* [x] outside with a star',
  '## TODOs', '- [x] 1. Done', '- [X] 2. Done with a capital', '- [ ] 3. Open', '  - [ ] indented', '-  [ ] 4. Two spaces', '* [x] 5. A star', '- [ ] 06. Leading zero', '- [ ] T7. No number', '- [ ] Nothing at all',
  '```md', '- [x] 8. In a fence', '```', '### Notes', '- [x] 9. Under a third level heading',
  '## TODOs (wave 2)', '- [ ] 10. In a heading with more words', '- [x] 11. The same',
  '## final verification wave ##', '- [ ] F1. Audit', '- [x] f2. Small letter', '- [ ] 12. No F',
  '# Success', '- [x] 13. Behind a first level heading',
);

test('one file is counted by the rules of three versions', () => {
  expect({ current: counts(everything, 'current'), '3.17': counts(everything, '3.17'), '3.0': counts(everything, '3.0') }).toEqual({ current: '4/6', '3.17': '7/12', '3.0': '9/18' });
});

test.each<[string, string, string, string, string]>([
  // What, text, current, 3.17, 3.0
  ['both sections', plan('## TODOs', '- [x] 1. a', '## Final Verification Wave', '- [ ] F1. b'), '1/2', '1/2', '1/2'],
  ['two sections of one name', plan('## TODOs', '- [x] 1. a', '## TODOs', '- [ ] 1. b'), '1/2', '1/2', '1/2'],
  ['closing signs and any case', plan('## todos ##', '- [x] 1. a', '- [ ] b'), '1/1', '1/1', '1/2'],
  ['more words in the heading', plan('## TODOs (wave 1)', '- [x] 1. a', '- [ ] b'), '1/2', '1/1', '1/2'],
  ['a heading of the first level ends the section', plan('## TODOs', '- [x] 1. a', '# Else', '- [ ] 2. b'), '1/1', '1/2', '1/2'],
  ['a heading of the third level does not', plan('## TODOs', '- [x] 1. a', '### Else', '- [ ] 2. b'), '1/2', '1/2', '1/2'],
  ['two spaces before the box', plan('## TODOs', '-  [x] 1. a'), '0/0', '1/1', '1/1'],
  ['two spaces behind the box', plan('## TODOs', '- [x]  1. a'), '0/0', '1/1', '1/1'],
  ['an empty box in a section', plan('## TODOs', '- [] 1. a'), '0/0', '0/1', '0/1'],
  ['a leading zero', plan('## TODOs', '- [ ] 01. a'), '0/0', '0/1', '0/1'],
  ['no text', plan('## TODOs', '- [ ] 1. '), '0/0', '0/0', '0/1'],
  ['a section without rows hides all others', plan('- [x] a', '## TODOs', 'nothing yet'), '0/0', '0/0', '1/1'],
  ['no sections: stars, tight, empty and padded boxes', plan('* [x] a', '-[ ] b', '- [] c', '- [ X ] d', '  - [ ] e'), '2/4', '1/3', '1/3'],
  ['no sections: a box needs text', plan('- [ ]', '- [x]no space', '- [x] a'), '1/1', '2/3', '2/3'],
  ['fenced code', plan('```', '- [x] a', '```', '- [ ] b'), '0/1', '1/2', '1/2'],
  ['a longer fence is not closed by a shorter one', plan('````', '```', '- [x] a', '````', '- [ ] b'), '0/1', '1/2', '1/2'],
  ['a fence of one kind is not closed by the other', plan('~~~', '```', '- [x] a', '~~~', '- [ ] b'), '0/1', '1/2', '1/2'],
  ['a fence that is never closed swallows the rest', plan('- [x] a', '```', '- [ ] b'), '1/1', '1/2', '1/2'],
  ['code in a line opens no fence', plan('``` a ` b', '- [x] a'), '1/1', '1/1', '1/1'],
  ['a heading in a fence makes no section', plan('```', '## TODOs', '```', '- [x] a'), '1/1', '0/0', '1/1'],
  ['Windows line ends', '## TODOs\r\n- [x] 1. a\r\n- [ ] 2. b\r\n', '1/2', '1/2', '1/2'],
  ['a byte order mark hides a first heading', '\uFEFF## TODOs\n- [x] a', '1/1', '1/1', '1/1'],
  ['nothing', '', '0/0', '0/0', '0/0'],
])('%s', (_what, text, current, earlier, earliest) => {
  expect([counts(text, 'current'), counts(text, '3.17'), counts(text, '3.0')]).toEqual([current, earlier, earliest]);
});

test('a plan without boxes passed for complete up to 3.0', () => {
  expect([progressOf('# Nothing', 'current').complete, progressOf('# Nothing', '3.17').complete, progressOf('# Nothing', '3.0').complete]).toEqual([false, false, true]);
});

test('the current task is the first row that counts and is not ticked', () => {
  expect(progressOf(everything, 'current').current).toBe('3. Open');
  expect(progressOf('- [x] a', 'current')).toEqual({ rule: 'current', done: 1, total: 1, complete: true, current: null });
});

test('all boxes are shown, those that count are marked', () => {
  expect(boxesOf(plan('- [ ] before', '## TODOs', '- [x] 1. Do it', '  * [ ] a detail', '```', '- [ ] 2. fenced', '```'), 'current')).toEqual([
    { line: 1, done: false, text: 'before', indent: 0, heading: null, counts: false },
    { line: 3, done: true, text: '1. Do it', indent: 0, heading: 'TODOs', counts: true },
    { line: 4, done: false, text: 'a detail', indent: 2, heading: 'TODOs', counts: false },
  ]);
});

test('hostile text is read in time that grows with its length', () => {
  const began = performance.now();
  for (const text of [`- [${' '.repeat(500_000)}`, `- [ ]${' '.repeat(500_000)}`, `## TODOs${' #'.repeat(250_000)}x`, '`'.repeat(500_000), '- ['.repeat(200_000), `${'- [ ] a\n'.repeat(10_000)}`]) {
    for (const rule of ['current', '3.17', '3.0'] as const) progressOf(text, rule);
    boxesOf(text, 'current');
  }
  expect(performance.now() - began).toBeLessThan(5_000);
});
