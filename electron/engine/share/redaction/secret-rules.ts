import { lintSource } from '@secretlint/core';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { hasMark, isMarked } from './secret-marks';

/** A token or key that one of secretlint's rules knows. */
export interface Secret {
  value: string;
  /** `GitHub token`. */
  name: string;
}

/** What rules find, in the words of a mask. A rule that is not named here is called by its own name. */
const names: Record<string, string> = {
  aws: 'AWS key', gcp: 'Google key', privatekey: 'private key', npm: 'npm token', basicauth: 'address with a password', slack: 'Slack token', sendgrid: 'SendGrid key',
  shopify: 'Shopify key', stripe: 'Stripe key', github: 'GitHub token', gitlab: 'GitLab token', grafana: 'Grafana token', openai: 'OpenAI key', anthropic: 'Anthropic key',
  groq: 'Groq key', huggingface: 'Hugging Face token', linear: 'Linear token', notion: 'Notion token', '1password': '1Password token',
  'database-connection-string': 'database address', 'hashicorp-vault': 'Vault token', vercel: 'Vercel token', databricks: 'Databricks token', docker: 'Docker token',
  figma: 'Figma token', cloudflare: 'Cloudflare token', tailscale: 'Tailscale key',
};

const prefix = '@secretlint/secretlint-rule-';

/** The recommended rules, without the one that obeys `secretlint-disable` in a text: a transcript must not be able to switch them off. */
const config = {
  rules: rules
    .filter(({ meta }) => meta.id !== `${prefix}filter-comments`)
    .map((rule) => ({ id: rule.meta.id, rule, options: rule.meta.id === `${prefix}aws` ? { enableIDScanRule: true } : {} })),
};
/** Those of them that may find something where no mark is: none, unless the rules were renewed. */
const unmarked = { rules: config.rules.filter(({ id }) => !isMarked(id.slice(prefix.length))) };

/** Rules look at the name of a file: lines of this one may hold tokens of npm. */
const filePath = '/.npmrc';

/** A shorter value would be found all over a text in which it means nothing. */
const shortest = 8;

/** Tokens and keys in a text. The rules are local: nothing is looked up anywhere. */
export async function secretsIn(text: string): Promise<Secret[]> {
  if (hasMark(text)) return secretsOf(text, config);
  return unmarked.rules.length === 0 ? [] : secretsOf(text, unmarked);
}

/** The same by all rules, whatever marks the text has. */
export const secretsByAllRules = (text: string): Promise<Secret[]> => secretsOf(text, config);

async function secretsOf(text: string, chosen: typeof config): Promise<Secret[]> {
  const { messages } = await lintSource({ source: { content: text, filePath, ext: '', contentType: 'text' }, options: { config: chosen, noPhysicFilePath: false } });
  return messages.flatMap((message) => {
    const value = valueOf(message.data, text);
    if (value === null) return [];
    const rule = message.ruleId.slice(prefix.length);
    const name = names[rule] ?? `${rule} secret`;
    const password = passwordIn(value);
    return [{ value, name }, ...(password === null ? [] : [{ value: password, name: 'password' }])];
  });
}

/** The rule for account ids of AWS gives the name before the number, too: `"account": "1234-5678-9012"`. */
const accountId = /(?<=^["']?(?:aws)?_?account_?(?:id)?["']?\s*[:=]>?\s*["']?)[0-9]{4}-?[0-9]{4}-?[0-9]{4}/i;

/** The rule's own word for what it found; its range is not always that of the value. */
function valueOf(data: unknown, text: string): string | null {
  if (typeof data !== 'object' || data === null) return null;
  for (const field of ['KEY', 'TOKEN', 'URI', 'URL', 'CREDENTIAL', 'ID', 'SECRET']) {
    const found = (data as Record<string, unknown>)[field];
    if (typeof found !== 'string') continue;
    // What stands before an account id names it, and stays.
    const account = accountId.exec(found)?.[0];
    if (account !== undefined) return account;
    // npm's rule takes all of a line; a token ends before a quote or a blank.
    const value = found.includes('PRIVATE KEY') ? found : (/^[^\s"'`\\<>,;]+/.exec(found)?.[0] ?? '');
    return value.length >= shortest && text.includes(value) ? value : null;
  }
  return null;
}

/** The password of an address is a secret where it stands alone, too. */
function passwordIn(address: string): string | null {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^@/\s]+)@/i.exec(address)?.[1];
  return password !== undefined && password.length >= shortest ? password : null;
}
