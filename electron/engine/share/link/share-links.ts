/**
 * Addresses of shared sessions. The data of a share lies at `<base>/api/share/<id>/data`, on the host of the link
 * itself; the page a person sees at `/share/<id>` or, from old releases, `/s/<id>`. Organisations have `shares` in
 * place of `share` (stores/opencode/FORMAT.md, "Share and import").
 */

/** Hosts that share sessions for anybody; every other one is asked about before it is spoken to. */
const knownHosts = ['opncd.ai', 'opencode.ai', 'www.opencode.ai'];

export interface ShareLink {
  /** As the person gave it, without what does not matter (query, fragment). */
  page: string;
  id: string;
  /** Where the data may be, in the order in which to try. */
  data: string[];
  host: string;
  isKnownHost: boolean;
  /** On a share server that the person set. */
  isOwnServer: boolean;
}

/** A text that is no link to a shared session, and why. */
export interface NoLink {
  refused: string;
}

const identity = /^[A-Za-z0-9_-]{1,128}$/;

/** Understands a link as people paste it: with blanks around, a slash at the end, a query, as page or as data. `servers`: bases of self-hosted share servers the person set. */
export function shareLink(text: string, servers: readonly string[] = []): ShareLink | NoLink {
  const trimmed = unwrapped(text.trim().replace(/^<(.*)>$/, '$1').trim());
  if (trimmed.length > 2_048) return { refused: 'The link is longer than 2,048 characters.' };
  const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
  if (url === null) return { refused: 'This is no web address.' };
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) return { refused: 'Sessions are fetched over https only.' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { refused: `${url.protocol} addresses are not fetched: only https.` };
  if (url.username !== '' || url.password !== '') return { refused: 'The link holds a user name or password. Take it out first.' };
  const server = servers.find((base) => under(url, base));
  const path = server === undefined ? url.pathname : url.pathname.slice(new URL(server).pathname.replace(/\/$/, '').length);
  const base = server === undefined ? url.origin : server.replace(/\/$/, '');
  const found = /^\/(?:(?<page>share|shares|s)\/(?<id>[^/]+)|api\/(?<api>share|shares)\/(?<data>[^/]+)(?:\/data)?)\/?$/.exec(path)?.groups;
  const id = found?.['id'] ?? found?.['data'];
  if (id === undefined) return { refused: 'The link does not lead to a shared session: those end in /share/ and a name.' };
  if (!identity.test(id)) return { refused: 'The name of the share holds characters that no share has.' };
  const first = found?.['page'] === 'shares' || found?.['api'] === 'shares' ? 'shares' : 'share';
  const second = first === 'share' ? 'shares' : 'share';
  return {
    page: `${base}/${found?.['page'] ?? first}/${id}`, id, data: [`${base}/api/${first}/${id}/data`, `${base}/api/${second}/${id}/data`],
    host: url.host, isOwnServer: server !== undefined, isKnownHost: server !== undefined || (url.protocol === 'https:' && url.port === '' && knownHosts.includes(url.hostname)),
  };
}

/** The address that a `retrace://import?url=…` link is about; any other text as it is. */
function unwrapped(text: string): string {
  if (!/^retrace:\/\/import\/?\?/i.test(text)) return text;
  return new URLSearchParams(text.slice(text.indexOf('?') + 1)).get('url')?.trim() ?? text;
}

function under(url: URL, base: string): boolean {
  if (!URL.canParse(base)) return false;
  const { origin, pathname } = new URL(base);
  const root = pathname.replace(/\/$/, '');
  return url.origin === origin && (root === '' || url.pathname.startsWith(`${root}/`));
}

/** An address that names this machine itself. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
