import { Dialog } from 'radix-ui';
import { actions, type Action } from './actions';
import { useFrame } from './frame';
import { keyPieces } from './keys';

const groups: Action['group'][] = ['Go', 'Session', 'Part', 'Files', 'Library', 'View'];

/** Keys that belong to a widget rather than to an action. */
const treeKeys: [string[], string][] = [
  [['↑', '↓'], 'Previous and next row'],
  [['→'], 'Open a row, then go to its first child'],
  [['←'], 'Close a row, then go to its parent'],
  [['Home', 'End'], 'First and last row'],
  [['Enter'], 'Open the session'],
];

const diffKeys: [string[], string][] = [
  [['↑', '↓'], 'Previous and next line'],
  [['←', '→'], 'Move the lines sideways'],
  [['Enter'], 'Who changed the line; unfold'],
];

const workKeys: [string[], string][] = [
  [['↑', '↓'], 'Previous and next plan'],
  [['Home', 'End'], 'First and last plan'],
  [['Enter'], 'Open or close the plan'],
];

/** All keys. */
export function KeysSheet() {
  const open = useFrame(({ sheet }) => sheet === 'keys');
  return (
    <Dialog.Root open={open} onOpenChange={(next) => useFrame.setState({ sheet: next ? 'keys' : null })}>
      <Dialog.Portal>
        <Dialog.Overlay className="dialog-shade" />
        <Dialog.Content className="dialog keys-sheet" aria-describedby={undefined} onOpenAutoFocus={(event) => {
            // The sheet itself, not its first stop: a ring around the list says nothing.
            event.preventDefault();
            if (event.target instanceof HTMLElement) event.target.focus();
          }}>
          <Dialog.Title>All keys</Dialog.Title>
          <div className="keys-columns" tabIndex={0} role="region" aria-label="Keys">
            {groups.map((group) => {
              const withKeys = actions.filter((action) => action.group === group && action.keys.length > 0);
              return withKeys.length === 0 ? null : (
                <section key={group}>
                  <h3>{group}</h3>
                  <dl>
                    {withKeys.map((action) => (
                      <div key={action.id}>
                        <dt>{action.keys.flatMap((keys) => keyPieces(keys)).map((piece) => <kbd key={piece}>{piece}</kbd>)}</dt>
                        <dd>{action.title}</dd>
                      </div>
                    ))}
                  </dl>
                </section>
              );
            })}
            <section>
              <h3>In the tree</h3>
              <dl>
                {treeKeys.map(([keys, words]) => (
                  <div key={words}>
                    <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            </section>
            <section>
              <h3>In a diff</h3>
              <dl>
                {diffKeys.map(([keys, words]) => (
                  <div key={words}>
                    <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            </section>
            <section>
              <h3>Among the plans</h3>
              <dl>
                {workKeys.map(([keys, words]) => (
                  <div key={words}>
                    <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            </section>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
