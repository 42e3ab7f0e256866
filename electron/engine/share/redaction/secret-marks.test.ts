import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, test } from 'vitest';
import { hasMark, isMarked } from './secret-marks';
import { secretsByAllRules, secretsIn } from './secret-rules';

const prefix = '@secretlint/secretlint-rule-';
const letters = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vW6yZ8'.repeat(50).slice(0, length);
const words = (length: number): string => 'abCdeFghIjklMnoPqrsTuvWxyz'.repeat(50).slice(0, length);
const hex = (length: number): string => '0123456789abcdef'.repeat(50).slice(0, length);
const digits = (length: number): string => '3141592653589793'.repeat(10).slice(0, length);
const pem = (kind: string, begin: string): string => `-----BEGIN ${kind}PRIVATE KEY-----\n${begin}${`${letters(63)}\n`.repeat(4)}-----END ${kind}PRIVATE KEY-----`;

/** A value of every form that each rule knows; none opens anything. */
const planted: Record<string, string[]> = {
  aws: [
    ...['A3TX', 'AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA'].map((begin) => `${begin}QRSTUVWXYZ234567`),
    `AWS_ACCOUNT_ID=${digits(12)}`, 'account: "1234-5678-9012"', "aws_accountId => '123456789012'", 'Account = 123456789012', 'ACCOUNTID:\n 123456789012',
    `AWS_SECRET_ACCESS_KEY=${letters(40)}`, `"SecretAccessKey" : "${letters(40)}"`, `aws_secret_access_key => '${letters(40)}'`, `SECRETACCESSKEY:${letters(40)}`,
  ],
  privatekey: [pem('', 'MIIE'), pem('RSA ', 'MIIE'), pem('DSA ', 'MIIB'), pem('EC ', 'MIHc'), pem('OPENSSH ', 'b3BlbnNzaC1rZXktdjE'), pem('PGP ', 'MIIE'), pem('', 'MIIE').replace('BEGIN ', 'BEGIN'), pem('RSA ', 'MIIE').replaceAll('\n', '\\n'), pem('PGP ', 'MIIE').replaceAll('KEY', 'KEY BLOCK')],
  npm: [`//registry.npmjs.org/:_authToken=${hex(36)}`, `npm_${letters(36)}`],
  basicauth: ['https://anna:hunter2plus@firm.co/x', 'http://anna:hunter2plus@firm.co', 'ftp://anna-k:hunter_2@files.firm.co', 'ftps://anna:hunter2plus@a.b.firm.co'],
  slack: ['xoxb-123456789012-1234567890123-abcdefghijkl', 'xoxp-1234-abcd', 'xapp-1-A123-456-abc', 'xoxa-2-abc-def', 'xoxo-abc-def', 'xoxr-abc-def', 'https://hooks.slack.com/services/T000AAA/B000BBB/abcXYZ', 'HTTPS://Hooks.Slack.com/Services/t000aaa/b000bbb/abcxyz'],
  sendgrid: [`SG.${letters(22)}.${letters(43)}`],
  shopify: ['shppa', 'shpca', 'shpat', 'shpss'].map((begin) => `${begin}_${letters(32)}`),
  stripe: ['sk_live', 'sk_test', 'rk_live', 'rk_test'].map((begin) => `${begin}_${letters(24)}`),
  github: [...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((begin) => `${begin}_${letters(36)}`), `github_pat_${letters(82)}`, `ghs_123456_${letters(40)}.${letters(80)}.${letters(43)}`],
  gitlab: [`glpat-${letters(20)}`],
  grafana: [`glc_eyJ${letters(60)}==`, `glsa_${letters(32)}_${hex(8)}`],
  openai: [...['proj', 'svcacct', 'admin'].flatMap((kind) => [58, 74].map((length) => `sk-${kind}-${letters(length)}T3BlbkFJ${letters(length)}`)), `sk-${letters(20)}T3BlbkFJ${letters(20)}`],
  anthropic: [`sk-ant-api03-${letters(93)}AA`, `sk-ant-api04-${letters(120)}AA`],
  groq: [`gsk_${letters(52)}`],
  huggingface: [`hf_${words(34)}`],
  linear: [`lin_api_${letters(40)}`],
  notion: [`ntn_${digits(11)}${letters(35)}`],
  '1password': [`ops_${Buffer.from(JSON.stringify({ email: 'x@1passwordserviceaccounts.lcl', muk: letters(178), deep: { a: 1 } })).toString('base64')}`],
  'database-connection-string': [
    'mongodb://ledger:hunter2plus@db.internal/books', 'mongodb+srv://ledger:hunter2plus@db.internal', 'jdbc:mysql://ledger:hunter2plus@db.internal:3306/books', 'mysqlx://ledger:hunter2plus@db.internal',
    'postgres://ledger:hunter2plus@db.internal:5432/books', 'PostgreSQL://ledger:hunter2plus@db.internal',
  ],
  'hashicorp-vault': [`hvs.${letters(95)}`, `hvb.${letters(140)}`, `hvr.${letters(95)}`],
  vercel: ['vcp', 'vci', 'vca', 'vcr', 'vck'].map((begin) => `${begin}_${letters(24)}`),
  databricks: [`dapi${hex(32)}`, `dapi${hex(32).toUpperCase()}-2`],
  docker: [`dckr_pat_${letters(27)}`],
  figma: [`figd_${letters(40)}`],
  cloudflare: ['cfk', 'cfut', 'cfat'].map((begin) => `${begin}_${letters(40)}${hex(8)}`),
  tailscale: ['api', 'auth', 'client', 'scim', 'webhook', 'other'].map((type) => `tskey-${type}-${letters(12)}-${letters(24)}`),
};

const names = rules.map(({ meta }) => meta.id.slice(prefix.length)).filter((name) => name !== 'filter-comments');

test('the marks are those of the rules that are installed: with others, take them from the rules anew', () => {
  const file = createRequire(import.meta.url).resolve('@secretlint/secretlint-rule-preset-recommend').replace(/module\/index\.js$/, 'package.json');
  expect((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version).toBe('13.1.0');
  expect(names.filter((name) => !isMarked(name))).toEqual([]);
});

test('every rule has values here, but the one that looks at files of other names', () => {
  expect(names.filter((name) => !planted[name])).toEqual(['gcp']);
});

describe('a text with a mark is looked through by all rules, one without has nothing', () => {
  test.each(Object.entries(planted).flatMap(([rule, values]) => values.map((value, at) => [`${rule} ${at + 1}`, value] as const)))('%s', async (_name, value) => {
    for (const text of [value, `see "${value}" there`, `0${value}\nnext`, `${'line of a log\n'.repeat(500)}\t${value}\n`]) {
      const all = await secretsByAllRules(text);
      expect(await secretsIn(text)).toEqual(all);
    }
    expect(await secretsByAllRules(`\n${value}\n`)).not.toEqual([]);
  });

  test('values cut short, grown or bent', async () => {
    const bent = Object.values(planted).flat().flatMap((value) => [value.slice(0, -1), value.slice(1), `é${value}`, `${value}x`, `${value}-`, value.toUpperCase(), value.replace(/[-_.]/, ' '), value.replace(':', ': ')]);
    for (const text of bent) expect([text, await secretsIn(text)]).toEqual([text, await secretsByAllRules(text)]);
  });

  test('what is common in transcripts has no mark', () => {
    const common = 'const key = process.env.API_KEY; sk-learn, https://localhost:3000/a@b, accountId: id, secretAccessKey: string, postgres://localhost/x, _authToken=${NPM_TOKEN}, xoxb- and ghp_…';
    expect(hasMark(common)).toBe(false);
  });
});
