/** A file of the page, as a request names it: path segments below the page's folder, and its media type. */
export interface PageFile {
  segments: string[];
  type: string;
}

const types = new Map(Object.entries({
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  woff: 'font/woff',
  wasm: 'application/wasm',
}));

/** The names the build gives to files; none of them can lead out of the page's folder, on any platform. */
const plainName = /^[\w@+-][\w@+.-]*$/;

/**
 * Reads the path of a request address. Null where it can name no file of the page: an unknown type, a broken escape,
 * or a segment that is not a plain name (`..`, `a\b`, `C:`, an encoded slash).
 */
export function pageFile(pathname: string): PageFile | null {
  const segments: string[] = [];
  for (const raw of (pathname === '/' ? '/index.html' : pathname).split('/').slice(1)) {
    const segment = decoded(raw);
    if (segment === null || !plainName.test(segment)) return null;
    segments.push(segment);
  }
  const name = segments.at(-1) ?? '';
  const type = name.includes('.') ? types.get(name.slice(name.lastIndexOf('.') + 1)) : undefined;
  return type === undefined ? null : { segments, type };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
