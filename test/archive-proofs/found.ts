import { expect } from 'vitest';

/** What is not as it has to be, by the way in which: words and keys. */
export type Found = Readonly<Record<string, readonly string[]>>;

/** Expects that nothing was found, and shows how many there are of each, with a few of them. */
export function expectNothing(found: Found): void {
  const shown = Object.entries(found).map(([name, all]) => [name, all.length, all.slice(0, 5)]);
  expect(shown).toEqual(Object.keys(found).map((name) => [name, 0, []]));
}
