import { type BytesFrom, bytesContent, type Content, readableFrom } from '../content';
import type { GitObjects } from './objects';

/** A file in a tree. */
export interface TreeFile {
  oid: string;
  /** Octal, six digits. */
  mode: string;
}

export interface TreeChange {
  /** With `/`, from the root of the tree. */
  path: string;
  before: TreeFile | null;
  after: TreeFile | null;
}

/** Changed files of two trees that are named, and trees that are opened for it. */
const limits = { changes: 20_000, trees: 50_000, depth: 200 };
/** Trees kept read: steps follow on each other, and most folders stay the same. */
const keptTrees = 2_000;

type Tree = Map<string, TreeFile>;

/** Trees, commits and files of a git object store. Null answers mean that an object is not there (any more). */
export class GitTrees {
  readonly #kept = new Map<string, Tree>();

  /** `from`: where the objects are found again. */
  constructor(
    readonly objects: GitObjects,
    readonly from: BytesFrom | null = null,
  ) {}

  /** Files that differ between two trees, by path; null when one of the trees is not there. `cut`: there are more. */
  async diff(before: string | null, after: string | null): Promise<{ changes: TreeChange[]; cut: boolean } | null> {
    const changes: TreeChange[] = [];
    const work: { path: string; before: string | null; after: string | null; depth: number }[] = [{ path: '', before, after, depth: 0 }];
    let opened = 0;
    for (let next = work.pop(); next; next = work.pop()) {
      const [old, now] = [next.before === null ? noTree : await this.#tree(next.before), next.after === null ? noTree : await this.#tree(next.after)];
      if (!old || !now) return null;
      if (changes.length > limits.changes || ++opened > limits.trees) return { changes, cut: true };
      for (const name of new Set([...old.keys(), ...now.keys()])) {
        const [a, b] = [old.get(name) ?? null, now.get(name) ?? null];
        if (a?.oid === b?.oid && a?.mode === b?.mode) continue;
        const path = next.path + name;
        const [aTree, bTree] = [a?.mode === treeMode ? a.oid : null, b?.mode === treeMode ? b.oid : null];
        const [aFile, bFile] = [a && a.mode !== treeMode ? a : null, b && b.mode !== treeMode ? b : null];
        if (aFile || bFile) changes.push({ path, before: aFile, after: bFile });
        if ((aTree !== null || bTree !== null) && next.depth < limits.depth) work.push({ path: `${path}/`, before: aTree, after: bTree, depth: next.depth + 1 });
      }
    }
    return { changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)), cut: false };
  }

  /** What a file of a tree holds. */
  async content(file: TreeFile | null): Promise<Content> {
    if (!file) return { state: 'absent' };
    // A submodule is a commit of another repository.
    if (file.mode === '160000') return { state: 'binary', bytes: 0, id: file.oid };
    const found = await this.objects.read(file.oid);
    if (found.state === 'too large') return { state: 'too large', bytes: found.bytes, id: found.oid };
    return found.state === 'found' && found.type === 'blob' ? readableFrom(bytesContent(found.bytes, found.oid), this.from) : { state: 'unknown' };
  }

  /** What a tree has at a path; null when the tree is not there. */
  async at(tree: string, path: string): Promise<Content | null> {
    const steps = path.split('/');
    let at = tree;
    for (const [index, step] of steps.entries()) {
      const entries = await this.#tree(at);
      if (!entries) return index === 0 ? null : { state: 'unknown' };
      const found = entries.get(step);
      if (!found || (index < steps.length - 1 && found.mode !== treeMode)) return { state: 'absent' };
      if (index === steps.length - 1) return found.mode === treeMode ? { state: 'absent' } : this.content(found);
      at = found.oid;
    }
    return { state: 'absent' };
  }

  /** A commit's tree and that of its first parent (null for a first commit); `parent` is undefined when that is not there. */
  async commit(hash: string): Promise<{ tree: string; parent: string | null | undefined } | null> {
    const own = await this.#commitHead(hash);
    if (!own) return null;
    const [first] = own.parents;
    return { tree: own.tree, parent: first === undefined ? null : (await this.#commitHead(first))?.tree };
  }

  async #commitHead(hash: string): Promise<{ tree: string; parents: string[] } | null> {
    const found = await this.objects.read(hash);
    if (found.state !== 'found' || found.type !== 'commit') return null;
    const head = found.bytes.toString('latin1').split('\n\n', 1)[0] ?? '';
    const tree = /^tree ([0-9a-f]{40,64})$/m.exec(head)?.[1];
    return tree === undefined ? null : { tree, parents: [...head.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map((match) => match[1] as string) };
  }

  async has(tree: string): Promise<boolean> {
    return (await this.#tree(tree)) !== null;
  }

  async #tree(oid: string): Promise<Tree | null> {
    const kept = this.#kept.get(oid);
    if (kept) return kept;
    const found = await this.objects.read(oid);
    if (found.state !== 'found' || found.type !== 'tree') return null;
    const tree = entriesOf(found.bytes, found.oid.length / 2);
    this.#kept.set(oid, tree);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > keptTrees && !oldest.done) this.#kept.delete(oldest.value);
    return tree;
  }
}

const treeMode = '040000';
const noTree: Tree = new Map();

/** Entries of a tree object: mode, blank, name, NUL, the bytes of the object's name. A name that is no path step is left out. */
function entriesOf(bytes: Buffer, idBytes: number): Tree {
  const tree: Tree = new Map();
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(32, at);
    const end = bytes.indexOf(0, blank);
    if (blank < 0 || end < 0 || end + idBytes >= bytes.length + 1) break;
    const name = bytes.subarray(blank + 1, end).toString('utf8');
    const mode = bytes.subarray(at, blank).toString('latin1').padStart(6, '0');
    if (name !== '' && name !== '.' && name !== '..' && !name.includes('/')) tree.set(name, { mode, oid: bytes.subarray(end + 1, end + 1 + idBytes).toString('hex') });
    at = end + 1 + idBytes;
  }
  return tree;
}
