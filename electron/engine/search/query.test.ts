import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { parseQuery } from './query';

describe('what a person types', () => {
  test.each([
    ['retry uploader', '"retry" AND "uploader"'],
    ['"token cache"', '"token cache"'],
    ['time*', '"time"*'],
    ['error-401', '"error 401"'],
    ['a.b()', '"a b"'],
    ['"left open', '"left open"'],
    ['say "hi', '"say" AND "hi"'],
    ["it's", '"it s"'],
    ['NOT OR AND NEAR', '"NOT" AND "OR" AND "AND" AND "NEAR"'],
    ['col:value', '"col value"'],
    ['https://example.org/x', '"https example org x"'],
    ['Größe', '"Größe"'],
    ['***', null],
    ['" "', null],
    ['', null],
  ])('%j asks for %j', (text, match) => {
    expect(parseQuery(text).match).toBe(match);
  });

  test('filters are taken out and named', () => {
    const query = parseQuery('retry agent:claude project:"my app" role:you tool:Bash after:2026-01 before:2026-02-03');
    expect(query).toMatchObject({
      match: '"retry"', agents: ['claude-code'], projects: ['my app'], roles: ['user'], tools: ['bash'],
      after: Date.UTC(2026, 0, 1), before: Date.UTC(2026, 1, 3),
    });
    expect(query.filters.every((filter) => filter.understood)).toBe(true);
  });

  test('a filter that cannot be understood says so', () => {
    expect(parseQuery('agent:nobody before:yesterday').filters).toEqual([
      { key: 'agent', value: 'nobody', understood: false },
      { key: 'before', value: 'yesterday', understood: false },
    ]);
  });
});

test('nothing typed makes the index complain', () => {
  const db = new Database(':memory:');
  db.exec("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='unicode61 remove_diacritics 2')");
  const run = db.prepare('SELECT rowid FROM t WHERE t MATCH ?');
  const letters = ['"', '*', '(', ')', ':', '-', '+', '^', "'", ' ', 'a', 'é', '\u0000', '{', '}', 'AND', 'NEAR', ',', '\ud83d', '日本'];
  let asked = 0;
  let seed = 7;
  const next = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0);
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: next() % 9 }, () => letters[next() % letters.length]).join('');
    const { match } = parseQuery(text);
    if (match === null) continue;
    asked++;
    run.all(match);
  }
  db.close();
  expect(asked).toBeGreaterThan(1_000);
});
