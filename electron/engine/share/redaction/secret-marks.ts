/**
 * What a text must hold before a rule of secretlint can find anything in it: the beginning of each form the rule knows,
 * without what it asks of the surroundings. Twenty-seven rules, each read over everything, take most of the time of an
 * export; one pattern of these marks takes a fifth of it, and only a text with a mark is given to the rules.
 * Taken from version 13.1.0 of the rules; secret-marks.test.ts says when they are another one. A rule that is not named here
 * is run on every text.
 */
const marks: Record<string, string[]> = {
  aws: [
    'A3T[A-Z0-9]{17}', '(?:AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{16}',
    String.raw`(?:ACCOUNT|account|Account)_?(?:ID|id|Id)?["']?\s*(?::|=>?)\s*["']?[0-9]{4}`,
    String.raw`(?:SECRET|secret|Secret)_?(?:ACCESS|access|Access)_?(?:KEY|key|Key)["']?\s*(?::|=>?)\s*["']?[A-Za-z0-9/+=]{40}`,
  ],
  // Looks at files of other names only.
  gcp: [],
  privatekey: ['-----BEGIN ?(?:(?:RSA|DSA|EC|OPENSSH|PGP) )?PRIVATE KEY'],
  npm: ['_authToken=[^$]', 'npm_[A-Za-z0-9_]{36}'],
  basicauth: ['(?:https?|ftps?)://[-a-zA-Z0-9_]{1,256}:[-a-zA-Z0-9_]{1,256}@'],
  slack: [String.raw`(?:xox[bpaor]|xapp)-(?:\d-)?[a-zA-Z0-9]{1,40}-`],
  sendgrid: [String.raw`SG\.\w{1,128}\.\w`],
  shopify: ['shp(?:pa|ca|at|ss)_[a-zA-Z0-9]{32}'],
  stripe: ['[sr]k_(?:live|test)_[a-zA-Z0-9]{24}'],
  github: ['gh[pousr]_[A-Za-z0-9_]{36}', 'github_pat_[A-Za-z0-9_]{82}', String.raw`ghs_[0-9]{1,20}_[A-Za-z0-9_-]{1,1000}\.`],
  gitlab: ['glpat-[A-Za-z0-9_-]{20}'],
  grafana: ['glc_[A-Za-z0-9+/]{32}', 'glsa_[A-Za-z0-9]{32}_'],
  openai: ['sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{58}', 'sk-[a-zA-Z0-9]{20}T3BlbkFJ'],
  anthropic: [String.raw`sk-ant-api0\d-[A-Za-z0-9_-]{90}`],
  groq: ['gsk_[a-zA-Z0-9]{52}'],
  huggingface: ['hf_[a-zA-Z]{34}'],
  linear: ['lin_api_[a-zA-Z0-9_]{32}'],
  notion: ['ntn_[0-9]{11}[A-Za-z0-9]{35}'],
  '1password': ['ops_ey[A-Za-z0-9+/=]{100}'],
  // In any case, see below.
  'database-connection-string': [],
  'hashicorp-vault': [String.raw`hv[sr]\.[A-Za-z0-9_-]{90}`, String.raw`hvb\.[A-Za-z0-9_-]{138}`],
  vercel: ['vc[piark]_[A-Za-z0-9]{20}'],
  databricks: ['dapi[A-Fa-f0-9]{32}'],
  docker: ['dckr_pat_[a-zA-Z0-9_-]{27}'],
  figma: ['figd_[A-Za-z0-9_-]{40}'],
  cloudflare: ['cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}'],
  tailscale: ['tskey-[a-z]{2,20}-[0-9A-Za-z_]{8,40}-[0-9A-Za-z_]{16}'],
};

/** The same for what rules know in any case: addresses of databases with a password, and Slack's addresses for messages. */
const inAnyCase = /(?:mongodb(?:\+srv)?|mysqlx?|postgres(?:ql)?):\/\/[^:/\s]{1,100}:[^@/\s]{1,200}@|https:\/\/hooks\.slack\.com\/services\/T/i;

const asWritten = new RegExp(Object.values(marks).flat().join('|'));

/** Whether one of the rules named here could find something in a text. */
export const hasMark = (text: string): boolean => asWritten.test(text) || inAnyCase.test(text);

/** Whether a rule, by its name without what all have in common, finds nothing in a text without a mark. */
export const isMarked = (rule: string): boolean => Object.hasOwn(marks, rule);
