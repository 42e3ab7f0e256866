import type { NativeId } from '@shared/model';
import type { SessionFacts, SessionStore, Settled } from '../stores/store';
import { partFlag, stateCode, statusCode } from './codes';
import { DamagePlaces } from './damage-places';
import type { Db } from './database';
import { SessionRows } from './session-row';
import { type LoadedSpine, SpineReader } from './spine';
import type { Words } from './words';

interface PartPlace {
  id: number;
  record: number;
  block: number;
  seq: number;
  state: number;
  flags: number;
  cause: number | null;
  reason: number | null;
  status: number | null;
  note: number | null;
}

/** Works out what a session's records add up to, and writes only what differs from before. */
export class Settler {
  readonly #spines;
  readonly #parts;
  readonly #change;
  readonly #sources;
  readonly #sessions;
  readonly #damage;
  readonly #dropDiagnoses;
  readonly #diagnosis;

  constructor(
    db: Db,
    readonly store: SessionStore,
    readonly words: Words,
  ) {
    this.#spines = new SpineReader(db, words);
    this.#sessions = new SessionRows(db);
    this.#parts = db.prepare<[number], PartPlace>('SELECT id, record, block, seq, state, flags, cause, reason, status, note FROM part WHERE session = ? ORDER BY seq, id');
    this.#change = db.prepare('UPDATE part SET seq = ?, state = ?, flags = ?, cause = ?, reason = ?, status = ?, note = ? WHERE id = ?');
    this.#damage = new DamagePlaces(db);
    this.#dropDiagnoses = db.prepare('DELETE FROM diagnosis WHERE session = ?');
    this.#diagnosis = db.prepare('INSERT OR REPLACE INTO diagnosis(session, part, class, text, evidence, help) VALUES (?, ?, ?, ?, ?, ?)');
    this.#sources = db.prepare<[number], { key: string }>('SELECT key FROM source WHERE id = ?');
  }

  settle(session: number, native: NativeId, revision: number, now: number): SessionFacts {
    const evidence = this.#spines.evidence(session);
    const loaded = this.#spines.load(session, native, evidence, this.#sourceKeys(), now);
    const settled = this.store.settle(loaded.spine);
    this.#writeParts(session, loaded, settled);
    this.#damage.write(session);
    const facts = this.store.summarise(native, evidence);
    this.#sessions.place(session, facts, settled, loaded, revision);
    return facts;
  }

  #sourceKeys(): (id: number) => string {
    const keys = new Map<number, string>();
    return (id) => {
      const known = keys.get(id);
      if (known !== undefined) return known;
      const key = this.#sources.get(id)?.key ?? '';
      keys.set(id, key);
      return key;
    };
  }

  #writeParts(session: number, loaded: LoadedSpine, settled: Settled): void {
    const rank = placesOf(loaded, settled);
    const place = (part: PartPlace): number => rank[loaded.indexOf.get(part.record) ?? 0] ?? 0;
    const parts = this.#parts.all(session);
    const ordered = isOrdered(parts, place) ? parts : parts.slice().sort((a, b) => place(a) - place(b) || a.block - b.block || a.id - b.id);
    this.#writeDiagnoses(session, ordered, place, loaded, rank, settled.diagnoses ?? []);
    const overrides = new Map(settled.tools.map((tool) => [`${loaded.ids[tool.record]}:${tool.block}`, tool]));
    const unsent = new Set(settled.unsent?.map(({ record, block }) => `${loaded.ids[record]}:${block}`));
    ordered.forEach((part, seq) => {
      const index = loaded.indexOf.get(part.record);
      const verdict = index === undefined ? undefined : settled.records[index];
      if (!verdict) throw new Error(`part ${part.id} points at record ${part.record}, which its session does not have`);
      const state = stateCode.code(verdict.state);
      const seen = verdict.seen && !(unsent.size > 0 && unsent.has(`${part.record}:${part.block}`));
      const flags = seen ? part.flags | partFlag.seen : part.flags & ~partFlag.seen;
      const cause = verdict.cause < 0 ? null : (loaded.ids[verdict.cause] ?? null);
      const reason = this.words.idOrNull(verdict.reason ?? (verdict.seen && !seen ? 'Kept beside its message: it is not sent.' : null));
      const override = overrides.size > 0 ? overrides.get(`${part.record}:${part.block}`) : undefined;
      const status = override ? statusCode.code(override.status) : part.status;
      const note = override ? this.words.id(override.note) : null;
      if (part.seq === seq && part.state === state && part.flags === flags && part.cause === cause && part.reason === reason && part.status === status && part.note === note) return;
      this.#change.run(seq, state, flags, cause, reason, status, note, part.id);
    });
  }

  /** A diagnosis of a record without such a part stands on the last part that is shown up to it. */
  #writeDiagnoses(session: number, ordered: readonly PartPlace[], place: (part: PartPlace) => number, loaded: LoadedSpine, rank: readonly number[], diagnoses: NonNullable<Settled['diagnoses']>): void {
    this.#dropDiagnoses.run(session);
    if (diagnoses.length === 0) return;
    const own = new Map(ordered.map((part) => [`${part.record}:${part.block}`, part]));
    const lastUpTo = (limit: number): PartPlace | undefined => {
      let low = 0;
      for (let high = ordered.length; low < high; ) {
        const middle = (low + high) >> 1;
        if (place(ordered[middle] as PartPlace) <= limit) low = middle + 1;
        else high = middle;
      }
      return ordered[Math.max(0, low - 1)];
    };
    for (const { record, block, class: kind, text, evidence, help } of diagnoses) {
      const part = own.get(`${loaded.ids[record]}:${block}`) ?? lastUpTo(rank[record] ?? 0);
      if (part) this.#diagnosis.run(session, part.id, kind, text, evidence, help);
    }
  }
}

/** Place of each record on the timeline, by index. */
function placesOf(loaded: LoadedSpine, settled: Settled): number[] {
  if (!settled.order) return loaded.ids.map((_, index) => index);
  const rank = loaded.ids.map(() => Number.MAX_SAFE_INTEGER);
  settled.order.forEach((index, place) => (rank[index] = place));
  return rank;
}

function isOrdered(parts: PartPlace[], place: (part: PartPlace) => number): boolean {
  for (let i = 1; i < parts.length; i++) {
    const a = parts[i - 1] as PartPlace;
    const b = parts[i] as PartPlace;
    if ((place(a) - place(b) || a.block - b.block || a.id - b.id) > 0) return false;
  }
  return true;
}
