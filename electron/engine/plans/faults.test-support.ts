import type Database from 'better-sqlite3';
import { type FileSystem, type Machine, thisMachine } from './disk/machine';

const fileFaults = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE'];
const databaseFaults = ['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR'];

/** A machine whose n-th call fails; with `onwards` so does every one after it, as on a disk that went away. */
export class FaultyMachine implements Machine {
  readonly #real = thisMachine({});
  readonly waits = { journal: 60, store: 60, looks: 1 };
  #calls = 0;
  #failing = 0;
  #onwards = false;
  /** What failed, of this run. */
  failed: string | null = null;
  /** No call fails outside an apply. */
  isArmed = false;
  readonly files: FileSystem;

  constructor() {
    this.files = Object.fromEntries(
      Object.entries(this.#real.files).map(([name, call]) => [
        name,
        (...given: unknown[]) => {
          // What is open can always be closed.
          if (name !== 'close') this.#count(name, fileFaults);
          return (call as (...given: unknown[]) => unknown)(...given);
        },
      ]),
    ) as unknown as FileSystem; // Every call of the interface is there, by its own name.
  }

  /** Lets the n-th call from now fail. */
  failAt(call: number, onwards = false): void {
    this.#calls = 0;
    this.#failing = call;
    this.#onwards = onwards;
    this.failed = null;
    this.isArmed = true;
  }

  mend(): void {
    this.isArmed = false;
  }

  at(): void {}

  database(file: string, options: { timeout: number; readonly?: boolean }): Database.Database {
    this.#count('open database', databaseFaults);
    return this.#faulty(this.#real.database(file, options));
  }

  #faulty<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const value = Reflect.get(object, name, object) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const sql = typeof given[0] === 'string' ? given[0] : '';
          if (['exec', 'run', 'get', 'all', 'prepare'].includes(String(name)) && sql !== 'ROLLBACK') this.#count(`${String(name)} ${sql.slice(0, 30)}`, databaseFaults);
          const result = (value as (...given: unknown[]) => unknown).apply(object, given);
          return name === 'prepare' || name === 'pluck' || name === 'raw' ? this.#faulty(result as object) : result;
        };
      },
    });
  }

  #count(name: string, codes: readonly string[]): void {
    if (!this.isArmed) return;
    this.#calls++;
    if (this.#onwards ? this.#calls < this.#failing : this.#calls !== this.#failing) return;
    const code = codes[this.#failing % codes.length] ?? 'EIO';
    this.failed ??= `${name}: ${code}`;
    throw Object.assign(new Error(`${code}: ${name}`), { code });
  }
}
