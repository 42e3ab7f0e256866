import type { Checked } from '@shared/contract';
import { asSessionId, type JournalEntry, type JournalPage, nativeId, sessionId, splitSessionId, storeId } from '@shared/model';
import type { Db } from '../library/database';
import { mapped } from '../library/surroundings';
import { findSession } from '../queries/session-summary';
import type { Environment, SessionFacts, SessionStore } from '../stores/store';
import type { EntryRow, Journal } from './journal/journal';

/** Paths named of an entry; the steps have all of them. */
const writtenTold = 500;

/** Entries of the journal as they are shown. */
export class Entries {
  constructor(
    readonly db: Db,
    readonly journal: Journal,
    readonly storeOf: (agent: string) => SessionStore | undefined,
    readonly environment: () => Pick<Environment, 'maps'>,
  ) {}

  page({ from, count, states, kinds }: Checked<'journal.list'>): JournalPage {
    const { total, backups, rows } = this.journal.list(from, count, { ...(states && { states }), ...(kinds && { kinds }) });
    return { total, backups, from, entries: rows.map((row) => this.entry(row)) };
  }

  entry(row: EntryRow): JournalEntry {
    const { plan } = row;
    const result = row.result === null || plan.store === '' ? null : sessionId(storeId(plan.store), nativeId(row.result));
    return {
      id: row.id, kind: plan.kind, state: row.state, title: plan.title, about: plan.about ?? null, session: plan.session, agent: plan.agent, way: plan.way, result,
      resume: row.state === 'applied' ? this.#resume(result ?? plan.session) : null,
      applied: new Date(row.applied).toISOString(), ended: row.ended === null ? null : new Date(row.ended).toISOString(), written: this.journal.written(row.id, writtenTold),
      because: row.because, undoneBy: row.undoneBy, undoes: plan.undoes, backups: row.backups, noUndo: this.#noUndo(row),
    };
  }

  #resume(session: string | null): JournalEntry['resume'] {
    const summary = session === null ? undefined : findSession(this.db, session);
    const store = summary && this.storeOf(summary.agent);
    // What only the library has, no program opens.
    if (!summary || !store || summary.origin === 'import' || summary.gone !== 0 || splitSessionId(asSessionId(session ?? '')) === null) return null;
    const { facts } = this.db.prepare('SELECT facts FROM session WHERE id = ?').get(summary.id) as { facts: string | null };
    const command = facts === null ? null : store.resumeCommand(nativeId(summary.native), JSON.parse(facts) as SessionFacts);
    // It is started on this machine, where the recorded folder may lie elsewhere.
    return command && { ...command, cwd: command.cwd === null ? null : mapped(command.cwd, this.environment()) };
  }

  #noUndo({ id, state, plan }: EntryRow): string | null {
    switch (state) {
      case 'applying':
        return 'It is being applied.';
      case 'undone':
        return 'It was taken back already.';
      case 'failed':
        return 'It changed nothing that was not put back.';
      case 'interrupted':
      case 'unsettled':
        return 'It did not come to its end: it goes on, or back.';
      case 'applied':
        if (plan.settles !== null) return plan.settles === 'on' ? `It brought ${plan.undoes ?? 'another'} to its end: that one can be taken back.` : 'It took back what was interrupted.';
        return this.journal.unreturnable(id);
    }
  }
}
