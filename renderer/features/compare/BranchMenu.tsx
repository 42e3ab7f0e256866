import type { SessionDetail } from '@shared/model';
import { useFrame } from '../../app/frame';
import { countOf, formatCount } from '../../ui/format';
import { Menu } from '../../ui/Menu';
import { useLens } from '../lens/lens';
import { compareWithCurrent, switchBranch, useBranches, useNets } from './branches';
import { deedWords, quoted } from './words';

/** The branches of the open session, each with what it did since it departed. */
export function BranchMenu({ detail, chosen }: { detail: SessionDetail; chosen: string | null }) {
  const deeds = useBranches(({ answer }) => answer?.branches);
  const open = useLens(({ branchesOpen }) => branchesOpen);
  const { branches, summary } = detail;
  const nets = useNets(summary.id, open);
  const current = branches.find((branch) => branch.current);
  const shown = branches.find((branch) => branch.id === chosen) ?? current;
  const others = branches.filter((branch) => !branch.current);
  const [only] = others.length === 1 ? others : shown && !shown.current ? [shown] : [];
  const choices = branches.map((branch) => {
    const did = deeds?.find(({ id }) => id === branch.id);
    return {
      value: branch.id, label: branch.current ? 'Current branch' : `Branch ${branch.id}`, detail: did ? deedWords(did, nets.get(branch.id)) : countOf(branch.count, 'message'),
      ...(did?.lastWords && { note: quoted(did.lastWords.text) }),
    };
  });
  return (
    <Menu
      label="Branch"
      many={false}
      open={open}
      onOpen={(next) => useLens.setState({ branchesOpen: next })}
      active={chosen !== null && chosen !== current?.id}
      chosen={shown ? [shown.id] : []}
      choices={choices}
      onChoose={(id) => switchBranch(id, deeds?.find((did) => did.id === id)?.first?.index ?? null)}
      acts={[
        only
          ? { label: `Compare branch ${only.id} with the current branch`, run: () => compareWithCurrent(summary.id, only.id) }
          : { label: 'Compare with another branch or session', keys: 'x', run: () => useFrame.setState({ sheet: 'compare' }) },
      ]}
    >
      {shown && !shown.current ? `branch ${shown.id}` : 'current branch'} of {formatCount(branches.length)}
    </Menu>
  );
}
