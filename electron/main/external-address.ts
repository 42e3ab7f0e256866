/** Schemes whose addresses may leave the app; all others could start programs or read files. */
const schemes = new Set(['http:', 'https:', 'mailto:']);

/** The address in its parsed spelling if it may be handed to the system, else null. */
export function externalAddress(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  // A name and password before the host only serve to make one address look like another.
  return schemes.has(url.protocol) && url.username === '' && url.password === '' ? url.href : null;
}
