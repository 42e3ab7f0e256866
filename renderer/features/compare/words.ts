import type { ChangeSum, CommonFound, ComparedSide, Deeds, Tokens } from '@shared/model';
import { visibleControls } from '../../ui/controls';
import { countOf, formatCount, formatShort } from '../../ui/format';

/** "+12 −3", or nothing where no line was changed or it is not known how many. */
export const linesOf = ({ added, removed }: { added: number | null; removed: number | null }): string =>
  added === null || removed === null || added + removed === 0 ? '' : `+${formatCount(added)} −${formatCount(removed)}`;

/** What a branch did, in a few words: "2 turns · 1 file +1 −1"; its files once they are counted. */
export const deedWords = ({ turns }: Deeds, net: ChangeSum | undefined): string =>
  [countOf(turns, 'turn'), net === undefined || net.files === 0 ? '' : `${countOf(net.files, 'file')} ${linesOf(net)}`.trim()].filter(Boolean).join(' · ');

/** In one line, quoted. */
export const quoted = (text: string): string => `“${visibleControls(text)}”`;

export const foundWords: Record<CommonFound, string> = {
  'same session': 'branches of one session', recorded: 'recorded', 'equal ids': 'found by equal ids', 'equal content': 'found by equal content', none: 'no common beginning',
};

export const conditionWords: Record<ComparedSide['condition'], string> = {
  finished: 'finished', interrupted: 'cut off: the last reply has no end', recovered: 'goes on over damage or a gap', left: 'left for another branch',
};

/** "1.2k in · 340 out" */
export const spent = (tokens: Tokens | null): string => (tokens === null ? 'not recorded' : `${formatShort(tokens.input + tokens.cacheRead + tokens.cacheWrite)} in · ${formatShort(tokens.output + tokens.reasoning)} out`);

/** All figures of it, for a hover. */
export const spentWhole = (tokens: Tokens | null): string | undefined =>
  tokens === null ? undefined : `in: ${formatCount(tokens.input)} fresh, ${formatCount(tokens.cacheRead)} from cache, ${formatCount(tokens.cacheWrite)} into cache\nout: ${formatCount(tokens.output)}, reasoning ${formatCount(tokens.reasoning)}`;
