import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { mersenne } from 'pure-rand/generator/mersenne';
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator';

/** A source of numbers that one seed decides. Not for secrets. */
export class Random {
  private readonly generator: RandomGenerator;

  constructor(seed: number) {
    this.generator = mersenne(seed);
  }

  /** At least 0, less than 1. */
  next(): number {
    return uniformFloat64(this.generator);
  }

  /** Both bounds included. */
  int(least: number, most: number): number {
    return uniformInt(this.generator, least, most);
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.int(0, choices.length - 1)];
    if (chosen === undefined) throw new RangeError('Expected at least one choice, got none');
    return chosen;
  }

  /** One of these, each as likely as its weight says; undefined where none weighs anything. */
  weighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T | undefined {
    let left = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0 && weight > 0) return choice;
    }
    return undefined;
  }

  some<T>(choices: readonly T[], probability: number): T[] {
    return choices.filter(() => this.chance(probability));
  }
}
