import { createHash } from 'node:crypto';
import type { ExportScope, FileChange, SessionId } from '@shared/model';
import type { Diffs } from '../../diff/diffs';
import { Turns } from '../../diff/turns';
import type { Db } from '../../library/database';
import { partKey } from '../../queries/part-rows';
import type { Work } from '../../queries/work/work';
import type { Place, Placed } from '../redaction/findings';
import type { Redactor } from '../redaction/redactor';
import { BundleFile } from './bundle-file';
import { type BundleEvidence, type BundleStream, BundleStreams } from './bundle-streams';
import type { OpenedSession } from './opened-session';
import { beside, partPlace } from './place';

/** Version of the format (docs/bundle.md): higher where an older reader would understand something wrong. */
const bundleVersion = 1;

export interface BundleRequest {
  db: Db;
  diffs: Diffs;
  work: Work;
  sessions: readonly OpenedSession[];
  redactor: Redactor;
  scope: ExportScope;
  subagents: boolean;
  by: string;
  made: string;
  step(): void;
}

/** The Retrace bundle: a session with the records its agent wrote. */
export class Bundle {
  readonly #streams: BundleStreams;
  readonly #chosen: { streams: BundleStream[]; evidence: BundleEvidence[] };

  private constructor(readonly request: BundleRequest, files: ReadonlyMap<OpenedSession, ReadonlySet<string>>) {
    this.#streams = new BundleStreams(request.db, request.sessions, files);
    this.#chosen = this.#streams.choose();
  }

  /** Finds out which files the parts point at, for these are no records of the session. */
  static async open(request: BundleRequest): Promise<Bundle> {
    const files = new Map<OpenedSession, Set<string>>();
    for (const session of request.sessions) files.set(session, await session.filesAskedFor());
    return new Bundle(request, files);
  }

  /** About how many windows of records there are. */
  get windows(): number {
    return this.#chosen.streams.reduce((sum, { length }) => sum + Math.ceil(length / (1 << 20)), 0);
  }

  /** Shows the redactor everything that will leave. */
  async look(): Promise<void> {
    const { redactor, sessions, step } = this.request;
    for await (const line of this.#facts()) redactor.seeAll(line.value, beside(line.session));
    for (const stream of this.#chosen.streams) {
      redactor.seeAll([stream.key, stream.store.folder], besideStream(stream));
      for (const { at, bytes } of this.#streams.read(stream)) {
        redactor.seeRecords(bytes, (offset) => this.#placeOf(stream, at + offset));
        step();
        await redactor.rest();
      }
    }
    for (const evidence of this.#chosen.evidence) redactor.seeAll(evidence, beside(evidence.session));
    for (const session of sessions) redactor.seeAll([this.#damage(session, new Set()), this.request.work.of({ session: session.id })], beside(session.id));
    await redactor.rest();
  }

  async *write(): AsyncIterable<string> {
    const { redactor, sessions, scope, subagents, by, made, step } = this.request;
    const renamed = this.#renamed();
    const file = new BundleFile(renamed);
    file.line({
      type: 'header', format: 'retrace-bundle', version: bundleVersion, by, made, root: sessions[0]?.id, sessions: sessions.map(({ id }) => id), scope, subagents, redaction: redactor.count(),
    });
    for await (const { value } of this.#facts()) {
      file.line(redactor.maskAll(value));
      yield* file.full();
    }
    const keys = new Set<string>();
    for (const [at, stream] of this.#chosen.streams.entries()) {
      const { agent, store, key, role, sessions: own, reader, gone, ranges, keeps } = stream;
      keys.add(key);
      const head = redactor.maskAll({ agent, store, key, role, sessions: own, reader, gone, whole: ranges === null && keeps === null });
      yield* file.stream(at + 1, head, this.#masked(stream, renamed, step));
    }
    for (const evidence of this.#chosen.evidence) file.line({ type: 'evidence', ...redactor.maskAll(evidence) });
    for (const session of sessions) for (const damage of this.#damage(session, keys)) file.line({ type: 'damage', ...redactor.maskAll(damage) });
    for (const { id } of sessions) {
      const work = this.request.work.of({ session: id });
      if (work) file.line({ type: 'work', ...redactor.maskAll({ session: id, work }) });
    }
    yield* file.full(true);
    file.end({ sessions: sessions.length, streams: this.#chosen.streams.length });
    yield* file.full(true);
  }

  async *#masked(stream: BundleStream, renamed: (text: string) => string, step: () => void): AsyncIterable<{ at: number; bytes: Uint8Array }> {
    for (const { at, bytes } of this.#streams.read(stream)) {
      step();
      // Others may ask the engine meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      const masked = this.request.redactor.maskRecords(bytes);
      // Witnesses of Aider name the session they are of.
      yield { at, bytes: stream.agent === 'aider' ? Buffer.from(renamed(Buffer.from(masked).toString('latin1')), 'latin1') : masked };
    }
  }

  /** What is known beside the records: lines of the sections before the streams. */
  async *#facts(): AsyncIterable<{ session: SessionId; value: { type: string } & Record<string, unknown> }> {
    const { sessions } = this.request;
    const lines = (session: OpenedSession, type: string, values: readonly object[]) => values.map((value) => ({ session: session.id, value: { type, ...value } }));
    for (const session of sessions) {
      const { summary, branches: _branches, edges: _edges, checkpoints, todos, damage: _damage, diagnoses: _diagnoses, ...facts } = session.detail;
      yield* lines(session, 'session', [{ session: summary, facts, checkpoints, todos }]);
    }
    // An edge between two of them is known to both.
    const told = new Set<string>();
    for (const session of sessions) {
      const edges = session.detail.edges.filter(({ child, parent, kind }) => !told.has(`${child} ${parent} ${kind}`));
      for (const { child, parent, kind } of edges) told.add(`${child} ${parent} ${kind}`);
      yield* lines(session, 'edge', edges.map((edge) => ({ edge })));
    }
    for (const session of sessions) yield* lines(session, 'branch', session.detail.branches.map(({ messages: _messages, ...branch }) => ({ session: session.id, ...branch })));
    for (const session of sessions) for await (const change of this.#changes(session)) yield* lines(session, 'change', [change]);
  }

  /** What each turn did to files, as far as it is known. */
  async *#changes(session: OpenedSession): AsyncIterable<object> {
    const { db, diffs } = this.request;
    const turns = new Turns(db, session.row);
    // Of most sessions few turns touch files, and a question for each of the others would take longer than what they say.
    const touching = new Set(session.timeline.rows.touchingPlaces(session.row).map((place) => turns.of(place)));
    for (const turn of touching) {
      const range = turns.range(turn);
      const [row] = range ? session.timeline.rows.window(session.row, range.from, 1) : [];
      if (!range || !row || !session.scope.includes(session.messageOf(row), range.from)) continue;
      const scope = { kind: 'turn', turn } as const;
      for (let from = 0, total = 1; from < total; from += 500) {
        const answer = await diffs.files({ session: session.id, scope, from, count: 500 });
        total = answer?.total ?? 0;
        for (const file of answer?.files ?? []) yield { session: session.id, turn, ...(await this.#change(session, scope, file)) };
      }
    }
  }

  async #change(session: OpenedSession, scope: { kind: 'turn'; turn: number }, { path, oldPath, kind, added, removed, certainty }: FileChange): Promise<object> {
    const drawn = await this.request.diffs.file({ session: session.id, scope, path });
    const patch = drawn?.patch ?? null;
    const note = patch !== null ? null : kind === 'binary' ? 'a binary file' : drawn?.large ? `a patch of ${drawn.large.chars} characters` : 'the lines are not known';
    return { path, from: oldPath, kind, added, removed, certainty, patch, ...(note !== null && { note }) };
  }

  #damage(session: OpenedSession, keys: ReadonlySet<string>) {
    const rows = this.request.db
      .prepare('SELECT d.place, d.line, d.at, d.bytes, d.reason, s.key FROM damage d LEFT JOIN source s ON s.id = d.source WHERE d.session = ? ORDER BY d.id')
      .all(session.row) as { place: string; line: number | null; at: number | null; bytes: number | null; reason: string; key: string | null }[];
    return rows.map(({ key, ...damage }) => ({ session: session.id, source: key !== null && keys.has(key) ? key : null, ...damage }));
  }

  /** The part that a place of a stream belongs to: of the record that lies there, or before. */
  #placeOf(stream: BundleStream, at: number): Placed {
    // Many values of one record ask for the same place.
    let found: Place | null = null;
    return () => (found ??= this.#findPlace(stream, at));
  }

  #findPlace(stream: BundleStream, at: number): Place {
    const { db, sessions } = this.request;
    const record = db
      .prepare('SELECT id, session FROM record WHERE session IN (SELECT session FROM source_session WHERE source = @source) AND source = @source AND at <= @at AND at + bytes >= @at ORDER BY at DESC LIMIT 1')
      .get({ source: stream.source, at }) as { id: number; session: number } | undefined;
    const session = record && sessions.find(({ row }) => row === record.session);
    const part = record && (db.prepare('SELECT id FROM part WHERE record = ? ORDER BY block LIMIT 1').get(record.id) ?? db.prepare('SELECT id FROM part WHERE session = ? AND result = ? LIMIT 1').get(record.session, record.id));
    const row = part === undefined ? undefined : session?.timeline.rows.one((part as { id: number }).id);
    return session && row ? partPlace(session.id, row, partKey(row)) : besideStream(stream);
  }

  /** A session of Aider is named after the path of its history: with a masked path it is the one that reading the file gives. */
  #renamed(): (text: string) => string {
    const names = new Map<string, string>();
    for (const { agent, key } of this.#chosen.streams) {
      const masked = this.request.redactor.mask(key);
      if (agent === 'aider' && masked !== key && !/^(?:input|llm):/.test(key)) names.set(nameOf(key), nameOf(masked));
    }
    return (text) => [...names].reduce((all, [from, to]) => all.replaceAll(`${from}-`, `${to}-`), text);
  }
}

const besideStream = ({ sessions }: BundleStream): Place => beside(sessions[0] as SessionId);

/** See stores/aider/places.ts. */
const nameOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 12);
