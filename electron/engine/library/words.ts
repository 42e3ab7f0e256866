import type { Db } from './database';

/** Texts that repeat in many rows, kept once and numbered. */
export class Words {
  readonly #insert;
  readonly #find;
  readonly #byId;
  #ids = new Map<string, number>();
  #texts = new Map<number, string>();

  constructor(db: Db) {
    this.#insert = db.prepare('INSERT INTO word(text) VALUES (?)');
    this.#find = db.prepare<[string], { id: number }>('SELECT id FROM word WHERE text = ?');
    this.#byId = db.prepare<[number], { text: string }>('SELECT text FROM word WHERE id = ?');
  }

  /** The number of a text, made when new. Only the writer of the library may call it. */
  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#find.get(text)?.id ?? Number(this.#insert.run(text).lastInsertRowid);
    this.#ids.set(text, id);
    return id;
  }

  idOrNull(text: string | null): number | null {
    return text === null ? null : this.id(text);
  }

  /** The number of a text that is already known; undefined when no row uses it. */
  find(text: string): number | undefined {
    return this.#ids.get(text) ?? this.#find.get(text)?.id;
  }

  text(id: number): string {
    let text = this.#texts.get(id);
    if (text === undefined) {
      text = this.#byId.get(id)?.text;
      if (text === undefined) throw new Error(`word ${id} is not in the library`);
      this.#texts.set(id, text);
    }
    return text;
  }

  textOrNull(id: number | null): string | null {
    return id === null ? null : this.text(id);
  }

  /** A rolled-back transaction may have taken numbers back. */
  forget(): void {
    this.#ids.clear();
    this.#texts.clear();
  }
}
