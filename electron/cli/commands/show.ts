import { type CommandContext, Refusal } from '../command-context';
import { PartReader } from '../part-reader';
import type { ShowRequest } from '../request';
import { scopeOf } from '../session-scope';
import { sessionNamed } from '../sessions';
import { showDocument } from '../../engine/share/export/show-document';
import { showText } from '../show-text';
import type { ExitCode } from '../surroundings';

/** `retrace show`: one session with all its messages, written as it is read. */
export async function show({ engine, out, json, paint, width }: CommandContext, request: ShowRequest): Promise<ExitCode> {
  const id = await sessionNamed(engine, request.session);
  const session = await engine.call('session.get', { session: id, branches: 'messages' });
  const outline = await engine.call('session.outline', { session: id, messages: true });
  if (!session || !outline) throw new Refusal(`There is no session ${JSON.stringify(request.session)}.`);
  const work = await engine.call('work.of', { session: id });
  const scope = scopeOf(session, request);
  const reader = new PartReader(engine, id, outline, json || request.full);
  if (json) {
    for await (const piece of showDocument(session, work, outline, scope, reader)) await out.write(piece);
  } else {
    for await (const line of showText(session, work, outline.total, scope, reader, { paint, width, full: request.full })) await out.line(line);
  }
  return 0;
}
