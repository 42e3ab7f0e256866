import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import { useSessionsByTitle } from '../features/library/by-title';
import { titleOf } from '../features/library/TreeRow';
import { AgentMark, Ago } from '../ui/marks';
import { actions, canRun, type Action } from './actions';
import { keyPieces } from './keys';
import { useFrame } from './frame';
import { show } from './route';

const close = () => useFrame.setState({ sheet: null });
const groups: Action['group'][] = ['Go', 'Session', 'Part', 'Files', 'Library', 'View'];
/** Sessions offered by title; the search has the rest. */
const offered = 6;

/** Every action with its key, sessions by title, and the search for what was typed. */
export function Palette() {
  const open = useFrame(({ sheet }) => sheet === 'palette');
  const [typed, setTyped] = useState('');
  const sessions = useSessionsByTitle(open ? typed : '', offered);
  useEffect(() => {
    if (open) setTyped('');
  }, [open]);
  const run = (act: () => void) => {
    close();
    // After the dialog has given the focus back.
    setTimeout(act, 0);
  };
  return (
    <Dialog.Root open={open} onOpenChange={(next) => useFrame.setState({ sheet: next ? 'palette' : null })}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="dialog" aria-describedby={undefined}>
          <Dialog.Title className="unseen">Search or run a command</Dialog.Title>
          <Command label="Commands" loop vimBindings={false} className="palette">
            <Command.Input value={typed} onValueChange={setTyped} placeholder="Search everything or run a command" />
            <Command.List>
              <Command.Empty className="soft">No command has this name.</Command.Empty>
              {groups.map((group) => (
                <ActionGroup key={group} group={group} run={run} />
              ))}
              {typed.trim() !== '' && sessions.length > 0 && (
                <Command.Group heading="Sessions" forceMount>
                  {sessions.map((session) => (
                    <Command.Item key={session.id} value={`session ${session.id}`} forceMount onSelect={() => run(() => show({ kind: 'session', session: session.id, part: null }))}>
                      <AgentMark agent={session.agent} writtenBy={session.writtenBy} />
                      <span className="one-line">{titleOf(session)}</span>
                      <span className="palette-keys">
                        <Ago time={session.updated} />
                      </span>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {typed.trim() !== '' && (
                <Command.Group heading="Search" forceMount>
                  <Command.Item value="search for what was typed" forceMount onSelect={() => run(() => show({ kind: 'search', query: typed }))}>
                    <span className="one-line">Search every part for “{typed}”</span>
                  </Command.Item>
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The actions of a group that can be done now; a group of which none can is left out. */
function ActionGroup({ group, run }: { group: Action['group']; run(act: () => void): void }) {
  const possible = actions.filter((action) => action.group === group && action.id !== 'palette' && action.id !== 'escape' && canRun(action));
  if (possible.length === 0) return null;
  return (
    <Command.Group heading={group}>
      {possible.map((action) => (
        <Command.Item key={action.id} value={`${action.title} ${action.id}`} onSelect={() => run(action.run)}>
          <span>{action.title}</span>
          <span className="palette-keys">{action.keys.flatMap((keys) => keyPieces(keys)).map((piece) => <kbd key={piece}>{piece}</kbd>)}</span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}
