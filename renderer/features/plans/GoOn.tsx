import type { JournalEntry } from '@shared/model';
import { show } from '../../app/route';
import { isAbandoned, reasonOf } from '../../rpc';
import { shell } from '../../shell';
import { copyText } from '../../ui/copy';
import { visibleControls } from '../../ui/controls';
import { say } from '../../ui/toast';
import { commandText } from './command';

/** The ways to go on with what a plan made: in Retrace, and in the person's own terminal. */
export function GoOn({ entry, opened }: { entry: JournalEntry; opened(): void }) {
  const { result, resume, session, kind, state } = entry;
  const target = result ?? (kind === 'trash' ? null : session);
  if (state !== 'applied') return null;
  return (
    <>
      {target !== null && (
        <button
          type="button" className="button primary"
          onClick={() => {
            opened();
            show({ kind: 'session', session: target, part: null });
          }}
        >
          Open
        </button>
      )}
      {resume && (
        <>
          <button type="button" className="button" title={visibleControls(commandText(resume))} onClick={() => void copyResume(resume)}>
            Copy resume command
          </button>
          <button type="button" className="button" disabled={shell?.openTerminal === undefined} title={shell?.openTerminal ? undefined : noTerminal} onClick={() => void openTerminal(entry.id)}>
            Open in terminal
          </button>
          {shell?.openTerminal === undefined && <span className="soft plan-why">{noTerminal}</span>}
        </>
      )}
    </>
  );
}

const noTerminal = 'Only the desktop window opens a terminal: this page may be shown on another machine. Copy the command instead.';

async function copyResume(resume: NonNullable<JournalEntry['resume']>): Promise<void> {
  say((await copyText(commandText(resume))) ? 'Copied the command.' : 'The system refused the clipboard.');
}

/** Only the name of the entry goes out: the window asks the engine for its command. */
async function openTerminal(entry: string): Promise<void> {
  try {
    const refused = await shell?.openTerminal(entry);
    if (refused) say(refused);
  } catch (error) {
    if (!isAbandoned(error)) say(`No terminal could be opened: ${reasonOf(error)}`);
  }
}
