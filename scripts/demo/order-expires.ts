import { tableOf } from '../../src/cli/output/table.ts';
import { objectKeyOf } from '../../src/worker/archive/object.ts';
import { demand, type Story, setTheStage, until } from './stage.ts';

const createdAt = '2026-02-01T12:00:00Z';
const order = { pk: 'ORDER#o-2002', sk: 'METADATA' };

/**
 * Seconds from the write to the expiry: the shortest TTL in whole seconds that leaves time to archive the
 * item.
 */
const lifetime = 2;

/** An order gets a TTL, is archived before it expires, and is still in the archive afterwards. */
export const orderExpires: Story = {
  title: 'An order gets ExpiresAt: it is in the archive before it expires, and still there afterwards',
  async tell(stage) {
    const { application, worker } = stage;
    const objectKey = objectKeyOf('Order', order);
    await setTheStage(stage, [
      {
        PK: order.pk,
        SK: order.sk,
        Type: 'Order',
        UserId: '42',
        Status: 'DELIVERED',
        Total: 59.97,
        CreatedAt: createdAt,
        GSI1PK: 'USER#42',
        GSI1SK: `ORDER#${createdAt}`,
      },
    ]);
    const expiresAt = Math.ceil(Date.now() / 1000) + lifetime;
    const started = performance.now();
    await application.update(order, { ExpiresAt: expiresAt });
    await until(
      async () => (await stage.archived(objectKey)) !== undefined,
      'the order is in the archive',
      stage.deadline,
    );
    const archivedAfter = performance.now() - started;
    const held = await application.get(order);
    const archived = await stage.archived(objectKey);
    demand(
      held !== undefined && Date.now() < expiresAt * 1000,
      `it is in the archive ${archivedAfter.toFixed(0)} ms after the write, before it expires`,
    );
    demand(
      archived !== undefined && (await stage.holdsExactly(order, archived)),
      'the archive holds every attribute as the table does',
    );
    await until(async () => (await application.get(order)) === undefined, 'the order expires', 15_000);
    await worker.idle();
    demand((await stage.archived(objectKey)) === archived, 'it has expired and is still in the archive');
    const rows = Object.entries(held ?? {})
      .sort()
      .map(([name, value]) => [name, String(value), '–', String(value)]);
    console.log(tableOf(['attribute', 'before', 'after', 'archive'], rows));
  },
};
