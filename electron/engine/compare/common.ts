import { isSaid, isTold, type WalkedMessage } from './walk';

/** How two paths begin alike: for each message that both have its places in the two, and how it was recognised. */
export interface Alike {
  a: number;
  b: number;
  by: 'ids' | 'content';
}

/** What may be taken for the same message. */
export interface Likeness {
  /** Key that a message has in other sessions too; null where it says nothing there. */
  idOf(message: WalkedMessage): string | null;
  /** When equal content is enough: people give the same task twice, so between strangers the recorded time has to be equal too; in one session ids say it all. */
  content: 'enough' | 'at the same time' | 'never';
}

/**
 * The common beginning of two paths, message for message. What an agent put in for itself, or what was taken back, may
 * stand on one side alone; the first message of person or model that differs ends it.
 */
export function commonBeginning(a: readonly WalkedMessage[], b: readonly WalkedMessage[], likeness: Likeness): Alike[] {
  const alike: Alike[] = [];
  for (let atA = 0, atB = 0; atA < a.length && atB < b.length; ) {
    const one = a[atA] as WalkedMessage;
    const other = b[atB] as WalkedMessage;
    const by = sameBy(one, other, likeness);
    if (by !== null) alike.push({ a: atA++, b: atB++, by });
    else if (!isTold(one)) atA++;
    else if (!isTold(other)) atB++;
    else break;
  }
  return alike;
}

function sameBy(a: WalkedMessage, b: WalkedMessage, { idOf, content: when }: Likeness): Alike['by'] | null {
  const id = idOf(a);
  if (id !== null && id === idOf(b)) return 'ids';
  if (when === 'never' || (when === 'at the same time' && (a.time === null || a.time !== b.time))) return null;
  const content = contentOf(a);
  return content !== '' && content === contentOf(b) ? 'content' : null;
}

function contentOf({ role, parts }: WalkedMessage): string {
  const said = parts.filter(isSaid);
  return said.length === 0 ? '' : `${role} ${said.map(({ kind, digest }) => `${kind}${digest}`).join(' ')}`;
}

/**
 * Divides a path behind its common beginning. A message that both have may have gone on differently (a reply of several
 * blocks, forked within): the parts beyond those that both have are the side's own.
 */
export function dividedAt(path: readonly WalkedMessage[], last: number, partsInCommon: number): { common: WalkedMessage[]; own: WalkedMessage[] } {
  const shared = path[last];
  if (!shared) return { common: [], own: [...path] };
  const rest = shared.parts.slice(partsInCommon);
  return {
    common: [...path.slice(0, last), { ...shared, parts: shared.parts.slice(0, partsInCommon) }],
    own: [...(rest.some((part) => isSaid(part) && !part.reverted) ? [{ ...shared, prompt: false, parts: rest }] : []), ...path.slice(last + 1)],
  };
}

/** How many parts two messages begin alike with. */
export function partsAlike(a: WalkedMessage, b: WalkedMessage): number {
  let count = 0;
  while (count < a.parts.length && count < b.parts.length && a.parts[count]?.kind === b.parts[count]?.kind && a.parts[count]?.digest === b.parts[count]?.digest) count++;
  return count;
}
