import type { DiffScope, FileDiff, SessionId } from '@shared/model';
import { call, isAbandoned, reasonOf } from '../../rpc';
import { shell } from '../../shell';
import { copyText } from '../../ui/copy';
import { countOf } from '../../ui/format';
import { say } from '../../ui/toast';
import { filesOf } from './listing';
import { nameOf, scopeText } from './scope';

/** Characters of a patch fetched first, which are drawn before the others are there; fetched at once; and of one that is copied or saved. */
const firstWindow = 100_000;
const window = 1_000_000;
const patchLimit = 64_000_000;

/** Pieces asked for at once. */
const ahead = 3;

/** A browser saves files; the desktop window refuses every download. */
export const canSave = shell === undefined;

/** A file's patch in pieces, from the first on. */
export async function* patchOf(session: SessionId, scope: DiffScope, diff: FileDiff, signal?: AbortSignal): AsyncGenerator<{ text: string; isLast: boolean }> {
  if (diff.patch !== null) {
    yield { text: diff.patch, isLast: true };
    return;
  }
  const chars = diff.large?.chars ?? 0;
  const ask = (from: number, count: number) => call('diff.file', { session, scope, path: diff.file.path, window: { from, count } }, signal ? { signal } : {});
  const asked: { answer: ReturnType<typeof ask>; end: number }[] = [];
  for (let [done, wanted] = [0, 0]; done < chars; ) {
    // The next ones are under way while one is read; the first, which is drawn, has the link for itself.
    while (asked.length < (done === 0 ? 1 : ahead) && wanted < chars) {
      const count = wanted === 0 ? firstWindow : window;
      const answer = ask(wanted, count);
      answer.catch(() => undefined);
      wanted = Math.min(chars, wanted + count);
      asked.push({ answer, end: wanted });
    }
    const next = asked.shift();
    const answer = await next?.answer;
    if (!next || !answer?.window) return;
    done = next.end;
    yield { text: answer.window.text, isLast: done >= chars };
  }
}

async function wholePatch(session: SessionId, scope: DiffScope, diff: FileDiff): Promise<string> {
  const pieces: string[] = [];
  for await (const { text } of patchOf(session, scope, diff)) pieces.push(text);
  return pieces.join('');
}

const tell = (error: unknown): void => {
  if (!isAbandoned(error)) say(`The patch could not be read: ${reasonOf(error)}`);
};

/** Puts one file's patch on the clipboard. */
export async function copyPatch(session: SessionId, scope: DiffScope, diff: FileDiff): Promise<void> {
  try {
    const text = await wholePatch(session, scope, diff);
    say((await copyText(text)) ? `Copied the patch${diff.applies ? '' : '; git apply does not take it as it is'}.` : 'The system refused the clipboard.');
  } catch (error) {
    tell(error);
  }
}

/** Saves one file's patch. */
export async function savePatch(session: SessionId, scope: DiffScope, diff: FileDiff): Promise<void> {
  try {
    save(await wholePatch(session, scope, diff), nameOf(diff.file).split(/[/\\]/).at(-1) ?? 'file');
  } catch (error) {
    tell(error);
  }
}

/** All files of a scope as one patch: those that `git apply` takes; the others are counted. */
export async function savePatchOfAll(session: SessionId, scope: DiffScope): Promise<void> {
  try {
    const pieces: string[] = [];
    let [taken, chars] = [0, 0];
    const files = filesOf(session, scope);
    for (const { path } of files) {
      const diff = await call('diff.file', { session, scope, path });
      if (!diff?.applies || chars > patchLimit) continue;
      const text = await wholePatch(session, scope, diff);
      pieces.push(text);
      chars += text.length;
      taken++;
    }
    const left = files.length - taken;
    if (taken === 0) say('No change of this list has all that git apply needs.');
    else {
      save(pieces.join(''), scopeText(scope).split(':')[0] ?? 'session');
      say(`Saved ${countOf(taken, 'file')}${left > 0 ? `; ${countOf(left, 'file')} left out, since git apply would not take them` : ''}.`);
    }
  } catch (error) {
    tell(error);
  }
}

/** A name that no system takes for anything but a name. */
const safeName = (name: string): string => name.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '').slice(0, 80) || 'changes';

function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/x-patch' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${safeName(name)}.patch`;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
