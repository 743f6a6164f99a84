import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openArchiveFolder } from '../../../src/dev/archive-folder.ts';
import { type Item, keyOf } from '../../../src/model/items/item.ts';
import { defineArchive, type StorageClass } from '../../../src/model/rules/archive-rule.ts';
import { makeRegistry } from '../../../src/model/rules/registry.ts';
import { order, orderItem, userProfile } from '../../../src/rules/shop-items.ts';
import { table } from '../../../src/table.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { archiveBatch } from '../../../src/worker/archive/archive-batch.ts';
import { plainOrder, anOrderItem as shopItem } from '../../fixtures/application/items.ts';
import { type Attributes, item } from '../../fixtures/model/items.ts';

/** An order as the application writes it, with an expiry. */
export function archivedOrder(id: string, attributes: Attributes = {}): Attributes {
  const own = { PK: `ORDER#${id}`, Status: 'DELIVERED', ExpiresAt: 1_768_500_000 };
  return plainOrder({ ...own, ...attributes });
}

export function anOrder(id: string, attributes: Attributes = {}): Item {
  return item(archivedOrder(id, attributes));
}

export function anOrderItem(order: string, product: string): Item {
  return shopItem({
    PK: `ORDER#${order}`,
    SK: `ITEM#${product}`,
    ProductId: product,
    ExpiresAt: 1_768_500_000,
  });
}

/** A shop after some time: a folder in which the worker has archived expired items. */
export class ArchivedShop {
  readonly folder = mkdtempSync(join(tmpdir(), 'denorm-archived-'));
  private readonly worker: ModelWorker;
  private readonly storageClass: StorageClass;

  constructor(layout: 'object' | 'batch', storageClass: StorageClass = 'STANDARD_IA') {
    this.storageClass = storageClass;
    const rule = defineArchive({ name: 'archive-shop', kinds: [order, orderItem, userProfile], layout });
    this.worker = new ModelWorker(makeRegistry(table, [], [rule]));
  }

  /** Puts items, archives them, lets them expire, and archives their last states. */
  async expired(...items: readonly Item[]): Promise<void> {
    await this.archived(...items);
    for (const item of items) {
      const key = keyOf(table, item);
      if (key !== undefined) this.worker.table.expire(key);
    }
    await this.archive();
  }

  /** Puts items, and archives them. */
  async archived(...items: readonly Item[]): Promise<void> {
    for (const item of items) this.worker.table.put(item);
    await this.archive();
  }

  /** Changes an item, and lets it expire before the change is archived. */
  async changedAndExpired(item: Item): Promise<void> {
    this.worker.table.put(item);
    this.worker.archiveStream.take();
    const key = keyOf(table, item);
    if (key !== undefined) this.worker.table.expire(key);
    await this.archive();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async archive(): Promise<void> {
    const archive = await openArchiveFolder(this.folder, this.storageClass);
    await archiveBatch({ ...this.worker.archiveContext, archive }, this.worker.archiveStream.take());
  }
}
