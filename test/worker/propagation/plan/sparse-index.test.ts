import { expect, test } from 'vitest';
import { writeUnits } from '../../../../src/model/capacity.ts';
import { item } from '../../../fixtures/model/items.ts';
import { table } from '../../../fixtures/model/table.ts';

test.each(['OwnerPart', 'OwnerSort'])(
  'an item with only %s of an index’s key costs that index nothing',
  (name) => {
    const written = item({ Part: 'p', Sort: 's', [name]: 'x' });

    expect(writeUnits(table, undefined, written)).toEqual({
      table: 1,
      indexes: { ByOwner: 0, ByState: 0 },
      total: 1,
    });
  },
);
