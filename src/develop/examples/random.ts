/** A source of numbers that one seed decides: sfc32, fed from the seed by splitmix32. Not for secrets. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  constructor(seed: number) {
    let state = seed >>> 0;
    const mix = (): number => {
      state = (state + 0x9e3779b9) | 0;
      let t = state ^ (state >>> 16);
      t = Math.imul(t, 0x21f0aaad);
      t ^= t >>> 15;
      t = Math.imul(t, 0x735a2d97);
      return t ^ (t >>> 15);
    };
    this.a = mix();
    this.b = mix();
    this.c = mix();
    for (let warm = 0; warm < 8; warm += 1) this.next();
  }

  /** At least 0, less than 1. */
  next(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return (t >>> 0) / 4_294_967_296;
  }

  /** Both bounds included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return probability > 0 && this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.next() * choices.length)];
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
