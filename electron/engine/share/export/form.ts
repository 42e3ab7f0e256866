import { assertNever, type ExportRefusal } from '@shared/model';
import type { Redactor } from '../redaction/redactor';
import { Bundle } from './bundle';
import type { ExportsSetup } from './exports';
import { jsonOf } from './json-form';
import { markdownOf, type Readable } from './markdown';
import type { SessionsAsked } from './open-sessions';
import type { OpenedSession } from './opened-session';
import { madeOpenCode } from './opencode-made';
import { OwnOpenCode } from './opencode-own';
import { beside, placeOfView } from './place';
import { headFacts } from './told';

/** Names of messages looked at together. */
const namesAtOnce = 10_000;

/** One format of one export: shows the redactor what will leave, then writes it. */
export interface Form {
  /** Steps of a look, and of the writing. */
  total: number;
  /** Who hears of each step. */
  steps(step: () => void): void;
  look(): Promise<void>;
  write(): AsyncIterable<string>;
}

export interface FormAsked extends Pick<ExportsSetup, 'db' | 'diffs' | 'work'> {
  sessions: readonly OpenedSession[];
  redactor: Redactor;
  request: SessionsAsked;
  left: readonly string[];
  by: string;
  made: string;
}

export async function formOf(asked: FormAsked): Promise<Form | ExportRefusal> {
  const { sessions, redactor, request, left, by, made } = asked;
  const [root] = sessions;
  if (!root) throw new Error('an export has a session');
  let heard = (): void => undefined;
  const step = (): void => heard();
  const steps = (listener: () => void): void => void (heard = listener);
  const readable: Readable = { sessions, redactor, scope: request.scope, left, by, step };
  const workOf = ({ id }: OpenedSession) => asked.work.of({ session: id });
  const parts = sessions.reduce((sum, { outline }) => sum + outline.total, 0);
  const lookAtParts = async (): Promise<void> => {
    for (const session of sessions) {
      // Of what is known of a session a readable file tells its title and facts, a document all of it.
      const { detail } = session;
      const { branches, ...facts } = detail;
      redactor.seeAll(request.format === 'json' ? [facts, workOf(session)] : [detail.summary.title, request.format === 'opencode' ? [detail.summary, detail.models] : headFacts(detail)], beside(session.id));
      for (const { messages, ...branch } of request.format === 'json' ? branches : []) {
        redactor.seeAll(branch, beside(session.id));
        for (let from = 0; from < messages.length; from += namesAtOnce) {
          redactor.seeAll(messages.slice(from, from + namesAtOnce), beside(session.id));
          await redactor.rest();
        }
      }
      for await (const part of session.parts()) {
        step();
        redactor.seeAll(part, placeOfView(session.id, part));
        await redactor.rest();
      }
    }
  };
  switch (request.format) {
    case 'markdown':
      return { total: parts, steps, look: lookAtParts, write: () => markdownOf(readable) };
    case 'html': {
      // Loaded when it is wanted: it brings the rules of many languages along.
      const { htmlOf } = await import('./html');
      return { total: parts, steps, look: lookAtParts, write: () => htmlOf(readable) };
    }
    case 'json':
      return { total: parts, steps, look: lookAtParts, write: () => jsonOf(readable, workOf, made) };
    case 'opencode': {
      if (root.detail.summary.writtenBy !== 'opencode') return { total: parts, steps, look: lookAtParts, write: () => madeOpenCode(root, redactor, step) };
      const own = OwnOpenCode.open(asked.db, root, request);
      if ('refused' in own) return own;
      return { total: own.messages.length, steps, look: () => own.look(redactor, step), write: () => own.write(redactor, step) };
    }
    case 'bundle': {
      const { scope, subagents } = request;
      const bundle = await Bundle.open({ db: asked.db, diffs: asked.diffs, work: asked.work, sessions, redactor, scope, subagents, by, made, step });
      return { total: bundle.windows, steps, look: () => bundle.look(), write: () => bundle.write() };
    }
    default:
      return assertNever(request.format, 'format');
  }
}
