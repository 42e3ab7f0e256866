import type { OpenedSession } from './opened-session';
import type { Readable } from './markdown';
import { jsonText } from './json-text';
import { showDocument } from './show-document';

/** The document of `retrace show --json`, with what was left out and masked at its end, and subagents as documents of the same form. */
export async function* jsonOf(readable: Readable, workOf: (session: OpenedSession) => Parameters<typeof showDocument>[1], made: string): AsyncIterable<string> {
  const [root, ...subagents] = readable.sessions;
  if (!root) return;
  const { redactor, scope, left, by } = readable;
  async function* more(): AsyncIterable<string> {
    yield `,\n"subagents":[`;
    for (const [at, session] of subagents.entries()) {
      if (at > 0) yield ',';
      yield '\n';
      yield* document(session);
    }
    yield `],\n"export":${jsonText({ by, made, scope, left, redaction: redactor.count() })}`;
  }
  async function* document(session: OpenedSession, ending?: () => AsyncIterable<string>): AsyncIterable<string> {
    const reader = {
      part: (index: number) => {
        readable.step();
        return session.part(index);
      },
    };
    const shown = { branch: session.scope.branch, before: null, includes: session.scope.includes };
    yield* showDocument(session.detail, workOf(session), session.outline, shown, reader, {
      keeps: (index) => session.keeps(index), change: (value) => redactor.maskAll(value), ...(ending && { more: ending }),
    });
  }
  yield* document(root, more);
}
