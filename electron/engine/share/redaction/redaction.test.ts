import { describe, expect, test } from 'vitest';
import { asSessionId } from '@shared/model';
import { privateKeysIn } from './private-keys';
import { type RedactionRules, Redactor } from './redactor';

const place = { session: asSessionId('claude-code/s'), message: null, part: null, index: null };
const rules: RedactionRules = { applied: true, homes: [], words: [], keep: [] };

/** Values with the form of real ones; none opens anything. */
const planted = {
  github: `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'}`,
  npm: `npm_${'a1B2'.repeat(9)}`,
  slack: `xoxb-123456789012-1234567890123-${'abcdefghijklmnopqrstuvwx'}`,
  anthropic: `sk-ant-api03-${'b'.repeat(93)}AA`,
  aws: 'q7ZtPmxC0vLq2rWb8sKd5nHj1fGy4uTe6iOa9xZc',
  database: 'postgres://ledger:hunter2plus@db.internal:5432/books',
  pem: `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEAx4f9\n'.repeat(12)}-----END RSA PRIVATE KEY-----`,
};

async function redactorOf(texts: string[], own: Partial<RedactionRules> = {}): Promise<Redactor> {
  const redactor = new Redactor({ ...rules, ...own });
  const show = async () => {
    for (const text of texts) {
      redactor.seeRecords(Buffer.from(text), () => place);
      await redactor.rest();
    }
  };
  await show();
  if (await redactor.looked()) {
    await show();
    await redactor.looked();
  }
  return redactor;
}

const masked = (redactor: Redactor, text: string): string => Buffer.from(redactor.maskRecords(Buffer.from(text))).toString();

describe('secrets', () => {
  test.each(Object.entries(planted))('%s is masked in a prompt, in JSON, in JSON inside JSON, and in a name of a field', async (_name, secret) => {
    const inPrompt = secret === planted.aws ? `AWS_SECRET_ACCESS_KEY=${secret} is mine` : `use ${secret} please`;
    const record = JSON.stringify({ text: inPrompt, input: { nested: JSON.stringify({ command: `echo "${secret}"`, deeper: JSON.stringify([secret]) }), [secret]: 1 } });
    const redactor = await redactorOf([inPrompt, `${record}\n`]);
    const result = masked(redactor, `${record}\n`);
    const value: unknown = JSON.parse(result);
    expect(result).not.toContain(secret.slice(0, 60));
    expect(JSON.stringify(value)).not.toContain(JSON.stringify(secret).slice(1, 60));
    expect(masked(redactor, inPrompt)).toContain('[secret 1: ');
    expect(typeof JSON.parse((value as { input: { nested: string } }).input.nested)).toBe('object');
  });

  test('a value known by its surroundings in one place is masked where it stands alone', async () => {
    const redactor = await redactorOf([`${planted.aws}\n`, `aws_secret_access_key = ${planted.aws}\n`]);
    expect(masked(redactor, `alone: ${planted.aws}`)).toBe('alone: [secret 1: AWS key]');
  });

  test.each(['AWS_ACCOUNT_ID=123456789012', '"account": "123456789012"', "account: '1234-5678-9012'", 'accountId => 123456789012'])('of %s the number is masked and its name stays', async (text) => {
    expect(masked(await redactorOf([text]), text)).toBe(text.replace(/[\d-]{12,14}/, '[secret 1: AWS key]'));
  });

  test('the password of an address is masked alone, too', async () => {
    const redactor = await redactorOf([planted.database]);
    expect(masked(redactor, `PGPASSWORD=hunter2plus psql ${planted.database}`)).toBe('PGPASSWORD=[secret 2: password] psql [secret 1: database address]');
  });

  test('a text cannot switch the rules off', async () => {
    const text = `// secretlint-disable\nconst token = '${planted.github}';\n// secretlint-enable\n`;
    expect(masked(await redactorOf([text]), text)).not.toContain(planted.github);
  });

  test('one key over several lines and with its line ends as escapes is one secret', async () => {
    const escapedPem = planted.pem.replaceAll('\n', '\\n');
    const redactor = await redactorOf([planted.pem, escapedPem]);
    expect(masked(redactor, `${planted.pem} and ${escapedPem}`)).toBe('[secret 1: private key] and [secret 1: private key]');
  });

  const ed25519 = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----';
  const curve = ['-----BEGIN EC PRIVATE KEY-----', 'MHcCAQEEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAoAoGCCqGSM49', 'AwEHoUQDQgAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==', '-----END EC PRIVATE KEY-----'];
  test.each([
    ['of Ed25519', ed25519, '[secret 1: private key]'],
    ['of a curve', curve.join('\n'), '[secret 1: private key]'],
    ['that is encrypted', ed25519.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE'), '[secret 1: private key]'],
    ['with escapes', `key = "${ed25519.replaceAll('\n', '\\n')}"`, 'key = "[secret 1: private key]"'],
    ['with the numbers of its lines', curve.map((line, at) => `0000${at + 1}| ${line}`).join('\n'), '00001| [secret 1: private key]'],
    ['that was printed in part', `$ head -2 key.pem\n${curve.slice(0, 2).join('\n')}\n$ ls`, '$ head -2 key.pem\n[secret 1: private key]\n$ ls'],
    ['in two places', `${ed25519}\nand\n${ed25519}`, '[secret 1: private key]\nand\n[secret 1: private key]'],
    ['that is none', "starts with '-----BEGIN PRIVATE KEY-----' and ends with '-----END PRIVATE KEY-----'", "starts with '-----BEGIN PRIVATE KEY-----' and ends with '-----END PRIVATE KEY-----'"],
    ['in code that looks for one', "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) { parseTheWholePrivateKeyBlock(); }\nexpect('-----END PRIVATE KEY-----');", "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) { parseTheWholePrivateKeyBlock(); }\nexpect('-----END PRIVATE KEY-----');"],
  ])('a short private key %s', async (_, text, expected) => {
    expect(masked(await redactorOf([text]), text)).toBe(expected);
  });

  test('many beginnings of keys cost no time', () => {
    const text = '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n'.repeat(20_000);
    const start = performance.now();
    privateKeysIn(text);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test('a key in a text of many lines is masked whole', async () => {
    const text = `${'line of a log\n'.repeat(1_000)}${planted.pem}\n${'more\n'.repeat(1_000)}`;
    expect(masked(await redactorOf([text]), text)).toBe(`${'line of a log\n'.repeat(1_000)}[secret 1: private key]\n${'more\n'.repeat(1_000)}`);
  });
});

describe('folders, addresses, words', () => {
  test.each([
    ['cd /home/maria/work', 'cd ~/work'],
    ['at /Users/maria.k/src/a.ts:3', 'at ~/src/a.ts:3'],
    [String.raw`C:\Users\Maria\src`, String.raw`~\src`],
    [String.raw`"C:\\Users\\Maria\\src"`, String.raw`"~\\src"`],
    ['file:///home/maria/a.md', 'file://~/a.md'],
    ['/mnt/c/Users/maria/x', '~/x'],
    ['https://example.org/home/page', 'https://example.org/home/page'],
    ['src/home/index.ts', 'src/home/index.ts'],
    ['/home/maria/a and vscode://x?f=%2Fhome%2Fmaria%2Fb, %2fhome%2fmaria', '~/a and vscode://x?f=~%2Fb, ~'],
    ['/home/linuxbrew/.linuxbrew', '/home/linuxbrew/.linuxbrew'],
    ['mail maria.k@firm.co.uk now', 'mail [mail 1] now'],
    ['a@b.com@c.org@d.net and first.last+tag@firm.co', '[mail 1]@[mail 2] and [mail 3]'],
    ['.maria@firm.co', '.maria@firm.co'],
    ['icon@2x.png git@github.com:me/it.git react@19.3.1', 'icon@2x.png git@github.com:me/it.git react@19.3.1'],
  ])('%s', async (text, expected) => {
    expect(masked(await redactorOf([text]), text)).toBe(expected);
  });

  test('a home that is known is masked where no pattern would see it, and where a path is spelled with dashes', async () => {
    const redactor = await redactorOf(['cwd: /home/maria/work'], { homes: ['/srv/people/maria'] });
    expect(masked(redactor, 'gcc -I/home/maria/include -L/srv/people/maria/lib projects/-home-maria-work/a.jsonl')).toBe('gcc -I~/include -L~/lib projects/~-work/a.jsonl');
    expect(masked(redactor, '/home/mariana and /home/maria-old')).toBe('/home/mariana and /home/maria-old');
  });

  test('a chosen word that is also a name of a field of ours leaves the shape of a value', async () => {
    const redactor = new Redactor({ ...rules, words: ['text'] });
    redactor.seeAll({ text: 'a text', 'text-2': 'b' }, place);
    await redactor.looked();
    expect(redactor.maskAll({ text: 'a text', 'text-2': 'b' })).toEqual({ text: 'a [word 1]', '[word 1]-2': 'b' });
  });

  test('chosen words in any case, one mask for one word', async () => {
    const text = 'Project Falcon: falcon is FALCON; (f.1)';
    expect(masked(await redactorOf([text], { words: ['falcon', '(f.1)'] }), text)).toBe('Project [word 1]: [word 1] is [word 1]; [word 2]');
  });
});

describe('records', () => {
  test('numbers, blanks, order and fields that stand twice stay as they are written', async () => {
    const line = '{"n": 12345678901234567890, "a":1.0,\t"a":"/home/maria/x", "z":{"\\u0041":"é\\n"}}\n';
    expect(masked(await redactorOf([line]), line)).toBe('{"n": 12345678901234567890, "a":1.0,\t"a":"~/x", "z":{"\\u0041":"é\\n"}}\n');
  });

  test('bytes that are not UTF-8 stay, and what is around them is masked', async () => {
    const bytes = Buffer.concat([Buffer.from('/home/maria/'), Buffer.from([0xff, 0x00, 0xe9]), Buffer.from('\n')]);
    const redactor = new Redactor(rules);
    redactor.seeRecords(bytes, () => place);
    await redactor.looked();
    expect([...redactor.maskRecords(bytes)]).toEqual([...Buffer.from('~/'), 0xff, 0x00, 0xe9, 0x0a]);
  });

  test('what has nothing to mask is the same bytes', async () => {
    const bytes = Buffer.from('{"a":"b"}\n');
    const redactor = await redactorOf(['{"a":"b"}\n']);
    expect(redactor.maskRecords(bytes)).toBe(bytes);
  });

  test('masking what was masked finds nothing', async () => {
    const text = Object.values(planted).map((secret) => `AWS_SECRET_ACCESS_KEY=${secret} /home/maria/a maria@firm.com`).join('\n');
    const once = masked(await redactorOf([text]), text);
    const again = await redactorOf([once]);
    expect(again.list()).toEqual([]);
    expect(masked(again, once)).toBe(once);
  });

  test('a string of 8 MB of base64 costs no time and is left alone', async () => {
    const blob = 'QUtJQUlPU0ZPRE5ON0VYQU1QTEU'.repeat(300_000);
    const began = performance.now();
    const redactor = await redactorOf([JSON.stringify({ data: blob, text: '/home/maria' })]);
    expect(redactor.list().map(({ class: kind }) => kind)).toEqual(['home']);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('findings', () => {
  test('say what, how often, where and how it looks, and never the secret', async () => {
    const redactor = await redactorOf([`token ${planted.github} of maria@firm.com\n`, `again ${planted.github}\n`]);
    const [secret, mail] = redactor.list();
    expect(secret).toEqual({
      id: expect.stringMatching(/^secret-[0-9a-f]{10}$/) as string, class: 'secret', name: 'GitHub token', mask: '[secret 1: GitHub token]', hint: 'ghp_… (40 characters)', kept: false, count: 2,
      places: [{ session: 'claude-code/s', message: null, part: null, index: null, excerpt: 'token [secret 1: GitHub token] of [mail 1]' }],
    });
    expect(mail?.hint).toBe('maria@firm.com');
    expect(JSON.stringify(redactor.list())).not.toContain(planted.github);
  });

  test('show nothing of another value that the edge of a place would cut in two', async () => {
    const text = `ask maria@firm.com ${'y'.repeat(30)} ${planted.github} ${'z'.repeat(30)} bob@firm.com`;
    const redactor = await redactorOf([text]);
    expect(redactor.list().map(({ places }) => places.map(({ excerpt }) => excerpt))).toEqual([
      [`ask [mail 1] ${'y'.repeat(30)} [secret 1: GitHub token] ${'z'.repeat(30)} [mail 2]`],
      [`ask [mail 1] ${'y'.repeat(30)}`],
      [`${'z'.repeat(30)} [mail 2]`],
    ]);
  });

  test('a class or one value is kept, and what stays is counted apart', async () => {
    const text = `${planted.github} ${planted.npm} maria@firm.com`;
    const first = await redactorOf([text]);
    const github = first.list().find(({ name }) => name === 'GitHub token');
    const redactor = await redactorOf([text], { keep: ['mail', github?.id ?? ''] });
    expect(masked(redactor, text)).toBe(`${planted.github} [secret 2: npm token] maria@firm.com`);
    expect(redactor.count()).toEqual({
      applied: true, masked: [{ class: 'secret', findings: 1, places: 1 }], kept: [{ class: 'secret', findings: 1, places: 1 }, { class: 'mail', findings: 1, places: 1 }],
    });
  });

  test('places of a value that came to light late are counted from the beginning', async () => {
    const filler = 'x y\n'.repeat(400_000);
    const redactor = await redactorOf([`${planted.aws}\n`, filler, `aws_secret_access_key=${planted.aws}\n`]);
    expect(redactor.list()[0]?.count).toBe(2);
  });
});
