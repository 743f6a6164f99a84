import { expect, test } from 'vitest';
import { protectUnmapped } from '../../src/drift/protect-unmapped-attributes.ts';
import { aBooking, aVoyage } from '../fixtures/cruises/cruise-items.ts';
import { keyIn, workerOver } from '../fixtures/cruises/cruise-worker.ts';

const named = aBooking('ann');
const unmapped = aBooking('bob', { Notes: 'vegetarian' });

test('of several writes those are refused, each in its place, that would remove what no rule names', async () => {
  const { table, port, kept } = keeping();

  const outcomes = await port.update([
    { key: keyIn(unmapped), set: {}, remove: ['Notes'], expect: {} },
    { key: keyIn(named), set: {}, remove: ['State'], expect: {} },
  ]);

  expect(outcomes).toEqual(['refused', 'written']);
  expect([...kept.values()]).toEqual([keyIn(unmapped)]);
  expect(table.read(keyIn(unmapped))).toEqual(unmapped);
  expect(table.read(keyIn(named))).not.toHaveProperty('State');
});

test('a removal of whole copies is handed on as it is', async () => {
  const { table, port } = keeping();

  const outcomes = await port.remove({ key: keyIn(aVoyage()), expect: 'absent' }, [
    { key: keyIn(unmapped), clear: undefined, expect: {}, size: 100 },
  ]);

  expect(outcomes).toEqual(['written']);
  expect(table.read(keyIn(unmapped))).toBeUndefined();
});

function keeping() {
  const { table, port, context } = workerOver([named, unmapped]);
  return { table, ...protectUnmapped(port, context.registry) };
}
