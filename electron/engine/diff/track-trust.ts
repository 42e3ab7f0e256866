import type { ChangeCertainty } from '@shared/model';

/** Sentences of one kind that are told of a file. */
const sentences = 10;

/** What a call is only believed to have done, until the file is seen whole. */
export interface Guess {
  certainty: ChangeCertainty;
  evidence: string | null;
  gap: string | null;
}

/** How far what is told of one file can be trusted, why, and what is missing from it. */
export class TrackTrust {
  #worst: ChangeCertainty = 'recorded';
  readonly #evidence = new Set<string>();
  readonly #gaps = new Set<string>();
  /** What was guessed since the file was last seen whole. */
  #open: Guess[] = [];

  worsen(certainty: ChangeCertainty, evidence: string | null): void {
    this.#worst = worseOf(this.#worst, certainty);
    if (evidence !== null) this.#evidence.add(evidence);
  }

  lacks(gap: string): void {
    this.#gaps.add(gap);
  }

  guess(guess: Guess): void {
    this.#open.push(guess);
  }

  /** The file was seen whole: what was guessed of it is certain now. */
  settle(): void {
    this.#open = [];
  }

  /** Certainty over all steps, with why, and what is missing. */
  told(): { certainty: ChangeCertainty; evidence: string[]; gaps: string[] } {
    const evidence = new Set(this.#evidence);
    const gaps = new Set(this.#gaps);
    let certainty = this.#worst;
    for (const guess of this.#open) {
      certainty = worseOf(certainty, guess.certainty);
      if (guess.evidence !== null) evidence.add(guess.evidence);
      if (guess.gap !== null) gaps.add(guess.gap);
    }
    return { certainty, evidence: [...evidence].slice(0, sentences), gaps: [...gaps].slice(0, sentences) };
  }
}

const rank = (certainty: ChangeCertainty): number => ['recorded', 'inferred', 'unknown'].indexOf(certainty);

/** Of two certainties the one that says less. */
export const worseOf = (a: ChangeCertainty, b: ChangeCertainty): ChangeCertainty => (rank(b) > rank(a) ? b : a);
