/** Values that tell who a person is: the folder of their home, mail addresses. Patterns are bounded: no text makes them slow. */

const name = String.raw`[^\s/\\"'\x60:;,<>|()\[\]{}$*?&#=%!]{1,64}`;
/** `/home/me`, `/Users/me`, `/mnt/c/Users/me`; not inside a longer path or an address of the web. */
const posixHome = new RegExp(String.raw`(?<![\w.~)\]}-])(?:/mnt/[a-z])?/(?:home|Users)/${name}`, 'g');
/** `C:\Users\me`, with as many backslashes as the text it stands in needs, or with slashes. */
const windowsHome = new RegExp(String.raw`(?<![A-Za-z0-9])[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/)${name}`, 'g');
/** Folders beside the homes that are nobody's. */
const nobodys = /[/\\](?:Shared|Public|Default|All Users|linuxbrew|\.{1,3}|~)$/;

/** Home folders in a text, as they are spelled there. */
export function homesIn(text: string): string[] {
  const found: string[] = [];
  if (text.includes('/home/') || text.includes('/Users/')) for (const [home] of text.matchAll(posixHome)) found.push(home.replace(/\.+$/, ''));
  if (text.includes('Users')) for (const [home] of text.matchAll(windowsHome)) found.push(home.replace(/\.+$/, ''));
  return found.filter((home) => !nobodys.test(home));
}

/** A home as names of folders hold it where an agent spells a path with dashes: `-home-me`. */
export const dashed = (home: string): string => home.replace(/[^A-Za-z0-9]+/g, '-');

/** From the `@`, and what stands before it only then: where every word may begin an address, most of the time went into words. */
const address = /@(?<=(?<![A-Za-z0-9._%+-])(?<name>[A-Za-z0-9][A-Za-z0-9._%+-]{0,63})@)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g;
/** What has the form of an address and is none: files (`icon@2x.png`), the user of a git remote, addresses kept for examples. */
const noAddress = /\.(?:png|jpe?g|gif|webp|svg|ico|js|mjs|cjs|ts|tsx|jsx|json|css|html?|md|map|py|rs|go|service|timer|socket|mount)$|^git@|@(?:[\w-]+\.)?example\.(?:com|org|net)$/i;

/** Mail addresses in a text. */
export function addressesIn(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const { 0: domain, index, groups } of text.matchAll(address)) {
    const before = groups?.['name'] ?? '';
    // What ends one address does not begin the next.
    if (index - before.length < end) continue;
    end = index + domain.length;
    found.push(before + domain);
  }
  return found.filter((each) => !noAddress.test(each));
}
