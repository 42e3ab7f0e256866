import type { ShareServers } from '@shared/model';
import type { Db } from '../../library/database';
import { isLoopback } from './share-links';

/** Where the library keeps them. */
const key = 'share servers';
/** Servers one may set, and characters of an address. */
const most = 50;
const longest = 2_000;

/** Share servers of the person's own: links to them are fetched without a question, also from a private network. */
export function shareServers(db: Db): string[] {
  const stored = db.prepare('SELECT value FROM meta WHERE key = ?').get(key) as { value: string } | undefined;
  return stored === undefined ? [] : (JSON.parse(stored.value) as string[]);
}

/** Sets all of them, or none when one is not as it should be. */
export function setShareServers(db: Db, wanted: readonly string[]): ShareServers {
  const read = wanted.map((text) => ({ text, ...baseOf(text) }));
  const refused = read.flatMap(({ text, reason }) => (reason === undefined ? [] : [{ server: text, reason }]));
  const servers = [...new Set(read.flatMap(({ base }) => (base === undefined ? [] : [base])))];
  if (servers.length > most) refused.push({ server: servers[most] ?? '', reason: `More than ${most} share servers are not kept.` });
  if (refused.length > 0) return { servers: shareServers(db), refused };
  db.prepare('INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value').run(key, JSON.stringify(servers));
  return { servers, refused: [] };
}

/** The address below which a server has its shares, or why it cannot be one. */
function baseOf(text: string): { base?: string; reason?: string } {
  const trimmed = text.trim();
  if (trimmed.length > longest) return { reason: `The address is longer than ${longest.toLocaleString('en')} characters.` };
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null || url.hostname === '') return { reason: 'This is no web address: write it whole, https://share.example.org.' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return { reason: 'Only https, or http on this machine itself (127.0.0.1, localhost).' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { reason: `${url.protocol} addresses are not fetched: only https.` };
  if (url.username !== '' || url.password !== '') return { reason: 'The address holds a user name or password. Take it out first.' };
  if (url.search !== '' || url.hash !== '') return { reason: 'The address of a server has no ? and no #.' };
  return { base: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
}
