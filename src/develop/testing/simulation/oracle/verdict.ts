/** A promise of the worker that was not kept. `invariant` is its number in docs/proofs.md. */
export interface Violation {
  readonly invariant: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  /** What went wrong, the same words wherever it goes wrong in the same way. */
  readonly what: string;
  /** Where. */
  readonly where: string;
}

/** What is allowed although it looks wrong, each with the reason that design and facts give, counted. */
export interface Exceptions {
  /** A root went to another value and back within one propagation. */
  flips: number;
  /** A removal took a copy of a root that had died in another way before. */
  otherLives: number;
  /** An attribute came to a strict mirror between its read and its write: no condition can exclude it. */
  unseen: number;
  /** A copy of very many attributes was written in parts, or got something that an older propagation had planned for it. */
  narrowed: number;
  /** An index was later than the recheck delay. */
  lateIndexes: number;
  /** An invocation was cut off after it had put or erased what an earlier deletion takes along. */
  cutErasures: number;
}

/** Collects what the oracles find. */
export class Verdict {
  readonly violations: Violation[] = [];
  readonly exceptions: Exceptions = {
    flips: 0,
    otherLives: 0,
    unseen: 0,
    narrowed: 0,
    lateIndexes: 0,
    cutErasures: 0,
  };

  violated(invariant: Violation['invariant'], what: string, where: string): void {
    this.violations.push({ invariant, what, where });
  }
}
