import { expect, test } from 'vitest';
import { Random } from '../../src/develop/testing/simulation/random.ts';
import { keyText } from '../../src/model/item.ts';
import { digestOf, objectKeyOf } from '../../src/worker/archive/object.ts';
import { CruiseSweep, inAWeek } from '../fixtures/cruises/cruise-sweep.ts';
import { keyIn } from '../fixtures/cruises/cruise-worker.ts';
import { figuresText, peakMemory } from './figures.ts';
import { fleetOf } from './swept-fleet.ts';

const size = Number(process.env.DENORM_TEST_SWEPT ?? 50_000);
const seed = Number(process.env.DENORM_TEST_SEED ?? 1);

/** Read units a second. */
const budget = 400;

test(`a sweep over ${size} items, killed twice and stopped once, misses no item and sweeps none twice`, async () => {
  const started = performance.now();
  const random = new Random(seed);
  const cruise = new CruiseSweep();
  const began = cruise.clock.now();
  const { items, marks } = fleetOf(size, random, began);
  for (const { item } of items) cruise.table.put(item);
  for (const [key, mark] of marks) cruise.notes.texts.set(key, mark);
  const writes = new Map<string, number>();
  const early: string[] = [];
  const kinds = new Map(items.map(({ item, kind }) => [keyText(keyIn(item)), kind]));
  cruise.table.watcher = ({ key, before }) => {
    const at = keyText(key);
    writes.set(at, (writes.get(at) ?? 0) + 1);
    const stored = cruise.archive.current(objectKeyOf(kinds.get(at) ?? '', key));
    if (before === undefined || stored?.digest !== digestOf(before)) early.push(at);
  };

  const runs: string[] = [];
  const share = items.length / 4;
  for (const end of ['killed', 'stopped', 'killed', 'finished'] as const) {
    let units = 0;
    const at = writes.size + share / 2;
    let dead = false;
    cruise.stop = () => end === 'stopped' && writes.size >= at;
    cruise.port.before = () => {
      if (end === 'killed' && writes.size >= at) dead = true;
      if (dead) throw new Killed();
    };
    const from = cruise.clock.now();
    await cruise.run({ onPage: () => {} }, budget).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    cruise.port.before = () => {};
    units = cruise.told.splice(0).reduce((sum, { readUnits }) => sum + readUnits, 0);
    const seconds = (cruise.clock.now() - from) / 1000;
    runs.push(`${end} after ${Math.round(seconds)} s, ${Math.round(units)} read units, ${writes.size} swept`);
    // A kill may come before the last read was waited for.
    expect(units, runs.at(-1)).toBeLessThanOrEqual(seconds * budget * 1.05 + 2 * budget);
    expect(units, runs.at(-1)).toBeGreaterThan(seconds * budget * 0.8 - 2 * budget);
  }

  const swept = items.filter(({ source }) => source === 'swept');
  const missed = swept.filter(({ item }) => cruise.table.read(keyIn(item))?.EndsAt === undefined);
  const wrong = items.filter(
    ({ item, source }) => source === 'left' && cruise.table.read(keyIn(item)) !== item,
  );
  const twice = [...writes].filter(([, times]) => times > 1);
  const stored = cruise.archive.keys().map((key) => cruise.archive.versions(key).length);
  console.log(
    figuresText('A sweep on the model', {
      items: items.length,
      'to be swept': swept.length,
      runs: runs.join('; '),
      'objects in the archive': stored.length,
      'could not be judged': new Set(cruise.unclassified.map(({ key }) => keyText(key))).size,
      'peak memory': `${peakMemory()} MB`,
      seconds: Math.round((performance.now() - started) / 1000),
    }),
  );
  expect({ missed, wrong, twice, early }).toEqual({ missed: [], wrong: [], twice: [], early: [] });
  expect(stored).toEqual(swept.map(() => 1));
  const expiries = swept.map(({ item }) => Number(numberOf(cruise.table.read(keyIn(item))?.EndsAt)));
  expect(Math.min(...expiries)).toBeGreaterThanOrEqual(Number(inAWeek.N));
  expect(Math.max(...expiries)).toBeLessThan(Number(inAWeek.N) + 86_400);
  expect(runs.filter((run) => run.startsWith('finished'))).toHaveLength(1);
});

function numberOf(value: { readonly N?: string } | object | undefined): string {
  return value !== undefined && 'N' in value && typeof value.N === 'string' ? value.N : 'none';
}

/** What a process that is gone has to say. */
class Killed extends Error {}
