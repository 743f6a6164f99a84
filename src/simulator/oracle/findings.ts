import type { Registry } from '../../model/rules/registry.ts';
import { faultKinds } from '../world/fault-kinds.ts';

const rareEvents = ['messages split', 'copies dead-lettered as too large'] as const;

/** A promise of the worker that was not kept. `invariant` is its number in docs/proofs.md. */
export interface Violation {
  readonly invariant: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
  /** The same words for the same fault, wherever it is. */
  readonly what: string;
  readonly where: string;
}

/** What is allowed although it looks wrong, each for a reason that the design gives. */
const exceptions = [
  /** A root went to another value and back. */
  'flips within a propagation',
  /** A removal took a copy of a root that had ended in another way before. */
  'removals of another incarnation',
  /** One came to a strict mirror between its read and its write. */
  'attributes that no condition excludes',
  /** Or such a copy got something that an older propagation had planned for it. */
  'writes of a part of a very wide copy',
  'copies later on an index than the recheck delay',
  /** Planned before a root's copies were cleared. */
  'writes later than the recheck of a removal',
  /** It had put or erased what an earlier deletion takes along. */
  'erasures crossed by an invocation that crashed',
  'erasures crossed by a put after its time-out',
] as const;

/** What a run has met. */
export class Findings {
  readonly violations: Violation[] = [];
  readonly faults = noneOf(faultKinds);
  readonly rareEvents = noneOf(rareEvents);
  readonly exceptions = noneOf(exceptions);
  /** For each rule, aggregate and archive rule, how much it wrote that was looked at. */
  readonly written: Map<string, number>;

  constructor({ rules, aggregates, archives }: Pick<Registry, 'rules' | 'aggregates' | 'archives'>) {
    this.written = noneOf([...rules, ...aggregates, ...archives].map(({ name }) => name));
  }

  violated(invariant: Violation['invariant'], what: string, where: string): void {
    this.violations.push({ invariant, what, where });
  }

  fault(kind: (typeof faultKinds)[number], times = 1): void {
    addCount(this.faults, kind, times);
  }

  wrote(rule: string): void {
    addCount(this.written, rule, 1);
  }

  rare(kind: (typeof rareEvents)[number]): void {
    addCount(this.rareEvents, kind, 1);
  }

  excepted(kind: (typeof exceptions)[number], times = 1): void {
    addCount(this.exceptions, kind, times);
  }
}

function noneOf(kinds: readonly string[]): Map<string, number> {
  return new Map(kinds.map((kind) => [kind, 0]));
}

/** Counts more of a kind. */
export function addCount(counts: Map<string, number>, kind: string, times: number): void {
  counts.set(kind, (counts.get(kind) ?? 0) + times);
}
