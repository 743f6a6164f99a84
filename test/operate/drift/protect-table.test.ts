import { expect, test } from 'vitest';
import { keyText } from '../../../src/model/items/item.ts';
import { protectTable } from '../../../src/operate/drift/repair.ts';
import { anIncident, aParticipation } from '../../fixtures/world/items.ts';
import { keyIn } from '../../fixtures/world/worker.ts';
import { workerOver } from '../../fixtures/world/world.ts';

const named = aParticipation('ann');
const unmapped = aParticipation('bob', { Notes: 'vegetarian' });
const gone = aParticipation('carl');

test('a protected table refuses just what would remove unmapped attributes', async () => {
  const { table, port, denials } = keeping();

  const outcomes = await port.update([
    { key: keyIn(unmapped), set: {}, remove: ['Notes'], expect: {} },
    { key: keyIn(named), set: {}, remove: ['State'], expect: {} },
    { key: keyIn(gone), set: {}, remove: ['State'], expect: {} },
  ]);

  expect(outcomes).toEqual(['refused', 'written', 'lost']);
  expect([...denials]).toEqual([[keyText(keyIn(unmapped)), 'unmapped']]);
  expect(table.read(keyIn(unmapped))).toEqual(unmapped);
  expect(table.read(keyIn(named))).not.toHaveProperty('State');
});

test('a protected table removes copies, but not those whose root is excluded', async () => {
  const { table, port, denials } = keeping();
  const removal = { clear: undefined, expect: {}, size: 100 };

  const outcomes = await port.transact({ key: keyIn(anIncident()), expect: 'absent' }, [
    { key: keyIn(unmapped), ...removal, excluded: true },
    { key: keyIn(named), ...removal },
    { key: keyIn(gone), ...removal },
  ]);

  expect(outcomes).toEqual(['refused', 'written', 'lost']);
  expect([...denials]).toEqual([[keyText(keyIn(unmapped)), 'excluded']]);
  expect(table.items()).toEqual([unmapped]);
});

function keeping() {
  const { table, port, context } = workerOver([named, unmapped]);
  return { table, ...protectTable(port, context.registry) };
}
