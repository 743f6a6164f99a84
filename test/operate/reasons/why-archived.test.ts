import fc from 'fast-check';
import { expect, test } from 'vitest';
import { imagesTable } from '../../../src/develop/dev/dry-run/images-table.ts';
import { RecordingTelemetry } from '../../../src/develop/testing/table-model/recording-telemetry.ts';
import { defineArchive } from '../../../src/model/archive-rule.ts';
import type { Change } from '../../../src/model/change.ts';
import { type Item, keyOf } from '../../../src/model/item.ts';
import { makeRegistry } from '../../../src/model/registry.ts';
import { whyArchived } from '../../../src/operate/reasons/why-archived.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { aFleet, aSailor, aTicket, aVoyage } from '../../fixtures/cruises/cruise-items.ts';
import { fleet, ticket, voyage } from '../../fixtures/cruises/cruise-kinds.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = makeRegistry(
  table,
  [],
  [
    defineArchive({ name: 'archive-voyages', kinds: [voyage] }),
    defineArchive({ name: 'archive-tickets', kinds: [ticket], onDelete: 'erase' }),
    defineArchive({ name: 'archive-fleets', kinds: [fleet], onDelete: 'archive' }),
  ],
);

const soon = { EndsAt: 4102444800 };

test.each<[string, Change, readonly string[]]>([
  [
    'an item that is going to expire',
    change(aVoyage(), aVoyage(soon)),
    ['expiring: archive', 'unconcerned: nothing', 'unconcerned: nothing'],
  ],
  [
    'an item without an expiry',
    change(undefined, aVoyage()),
    ['lasting: nothing', 'unconcerned: nothing', 'unconcerned: nothing'],
  ],
  [
    'an item that has expired',
    change(aTicket(soon), undefined, true),
    ['unconcerned: nothing', 'expired: archive', 'unconcerned: nothing'],
  ],
  [
    'a deleted item whose archive is kept',
    change(aVoyage(), undefined),
    ['kept: nothing', 'unconcerned: nothing', 'unconcerned: nothing'],
  ],
  [
    'a deleted item whose archive is erased',
    change(aTicket(), undefined),
    ['unconcerned: nothing', 'deleted: archive', 'unconcerned: nothing'],
  ],
  [
    'an item of another kind',
    change(undefined, aSailor(soon)),
    ['unconcerned: nothing', 'unconcerned: nothing', 'unconcerned: nothing'],
  ],
])('%s', (_, changed, reasons) => {
  expect(whyArchived(registry, changed).map(({ because, asks }) => `${because}: ${asks}`)).toEqual(reasons);
});

const anyItem = fc.oneof(
  ...[aVoyage, aTicket, aFleet, aSailor].map((make) =>
    fc.constantFrom(make(), make(soon), make({ Kind: 'x' })),
  ),
);

test('a change matches exactly if it sends a request to the archive', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(anyItem, { nil: undefined }),
      fc.option(anyItem, { nil: undefined }),
      fc.boolean(),
      async (before, right, expired) => {
        const after = before && right ? { ...right, ...pick(before) } : right;
        if (before === undefined && after === undefined) return;
        const one = change(before, after, expired && after === undefined);
        const asks = whyArchived(registry, one).some((why) => why.asks === 'archive');

        expect(await isAsked(one)).toBe(asks);
      },
    ),
  );
});

/** An item never changes its key. */
function pick({ Part, Sort }: Item): Item {
  return { ...(Part && { Part }), ...(Sort && { Sort }) };
}

async function isAsked(one: Change): Promise<boolean> {
  let asked = false;
  const ask = <Answer>(answer: Answer) => {
    return async () => {
      asked = true;
      return answer;
    };
  };
  await archiveBatch(
    {
      ...{ registry, concurrency: 1, nonce: () => new Uint8Array(8), telemetry: new RecordingTelemetry() },
      table: imagesTable(table, one.after ? [one.after] : []),
      archive: { head: ask(undefined), put: ask(true), erase: ask(undefined) },
      queue: { deadLetter: ask(undefined) },
    },
    [{ id: '1', says: one }],
  );
  return asked;
}

function change(before: Item | undefined, after: Item | undefined, expired = false): Change {
  const key = keyOf(table, after ?? before ?? {}) ?? { pk: '', sk: '' };
  return { key, before, after, sequence: 1n, expired, at: undefined };
}
