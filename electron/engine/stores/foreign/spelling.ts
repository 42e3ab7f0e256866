const device = /^[\\/]{2}[?.][\\/](?:unc([\\/].*)|([a-z]:.*))$/is;
const wsl = /^[\\/]{2}wsl(?:\$|\.localhost)[\\/][^\\/]+(.*)$/is;
const drive = /^([a-z]):(?:[\\/](.*))?$/is;
const mounted = /^\/(?:(?:mnt|cygdrive)\/([a-z])|([a-z]))(?:\/(.*))?$/s;
const network = /^(?:\\\\|\/\/)(?=[^\\/])(.*)$/s;

/** True for a path as Windows writes it: what stands between its backslashes are folders. */
export const isWindowsSpelling = (folder: string): boolean => drive.test(folder) || folder.startsWith('\\\\') || device.test(folder) || wsl.test(folder);

/** True for a folder of another machine, which a system would log in to when asked for it. */
export const isNetworkSpelling = (folder: string): boolean => {
  const [, share] = device.exec(folder) ?? [];
  return share !== undefined || (network.test(folder) && !device.test(folder) && !wsl.test(folder));
};

/**
 * One spelling for all the ways a folder is written (docs/projects.md, "Spelling"): only to compare and to group by,
 * never to show or to open. Spelling a spelling again changes nothing.
 */
export function spellingOf(folder: string): string {
  // What a prefix hid may have a prefix of its own. Every round but the last takes one away.
  for (let text = folder; ; ) {
    const next = spelledOnce(text);
    if (next === text) return text;
    text = next;
  }
}

/** True when a path is a folder or lies in it, however both are written. */
export function liesIn(path: string, folder: string): boolean {
  const outer = spellingOf(folder);
  return `${spellingOf(path)}/`.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}

function spelledOnce(text: string): string {
  const [, share, local] = device.exec(text) ?? [];
  if (share !== undefined) return `/${forward(share)}`.replace(/^\/+/, '//');
  if (local !== undefined) return local;
  const [, inLinux] = wsl.exec(text) ?? [];
  if (inLinux !== undefined) return forward(inLinux) || '/';
  const [, letter, below] = drive.exec(text) ?? [];
  if (letter !== undefined) return caseless(`${letter}:/${steps(forward(below ?? ''))}`);
  const [, machine] = network.exec(text) ?? [];
  if (machine !== undefined) return caseless(`//${steps(forward(machine))}`);
  const plain = text.startsWith('/') ? `/${steps(text)}` : steps(text) || text;
  const [, mount, bare, under] = mounted.exec(plain) ?? [];
  if (mount !== undefined || bare !== undefined) return `${mount ?? bare}:/${under ?? ''}`;
  return /^\/Users(?:\/|$)/.test(plain) ? caseless(plain) : plain;
}

const forward = (text: string): string => text.replaceAll('\\', '/');

const steps = (text: string): string => text.split('/').filter((step) => step !== '' && step !== '.').join('/');

/** macOS takes composed and decomposed letters for the same ones, too. */
const caseless = (text: string): string => text.normalize('NFC').toLowerCase().normalize('NFC');
