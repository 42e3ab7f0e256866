import type { SessionToWrite } from '../../store';
import { rolloutName } from '../names';
import { firstLine, RolloutTexts } from './texts';

/** Threads whose files continue a file of this one: they could not be opened without it. */
export function leaningOn(session: SessionToWrite): string[] {
  const texts = new RolloutTexts(session);
  const own = new Set<string>();
  const others: { rollout: string; thread: string }[] = [];
  for (const [rollout, file] of texts.files()) {
    const thread = rolloutName(file.key)?.thread ?? rollout;
    if (thread === session.native) own.add(rollout);
    else if (file.key.endsWith('.jsonl')) others.push({ rollout, thread });
  }
  const leaning = others.filter(({ rollout }) => {
    const text = texts.ofRollout(rollout);
    const base = text && firstLineOf(text)?.base;
    return base != null && own.has(base.rollout);
  });
  return [...new Set(leaning.map(({ thread }) => thread))].sort();
}

/** A file that cannot be read leans on nothing that could be told. */
function firstLineOf(text: Parameters<typeof firstLine>[0]): ReturnType<typeof firstLine> {
  try {
    return firstLine(text);
  } catch {
    return null;
  }
}
