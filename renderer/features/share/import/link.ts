/** Characters of a link that an import may be asked for by one. */
const longest = 2_048;

/**
 * What a `retrace://import?url=…` link asks to bring in, from the location hash it stands for. Such a link may come from
 * any web page: it leads to web addresses only, and only fills in what the person then decides about.
 */
export function importAsked(hash: string): { url: string } | { refused: string } | null {
  const query = /^#\/import\/?(?:\?(.*))?$/.exec(hash);
  if (!query) return null;
  const url = new URLSearchParams(query[1] ?? '').get('url')?.trim() ?? '';
  if (url === '') return { refused: 'The link names nothing to import: it has no url.' };
  if (url.length > longest) return { refused: `The link names an address longer than ${longest.toLocaleString('en')} characters.` };
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return { refused: 'The link names something that is no web address. Only shared links are imported by a link.' };
  return { url };
}
