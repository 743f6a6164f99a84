import { gzipSync } from 'node:zlib';
import { keyOf } from '../src/model/item.ts';
import { table } from '../src/table.ts';
import { type BatchLine, manifestText } from '../src/worker/archive/batch-object.ts';
import { bodyOf, digestOf } from '../src/worker/archive/object.ts';
import type { LayoutShape } from './archive-costs.ts';
import { sampleOrders } from './sample-orders.ts';

/** Lines of one batch. With more of them it is cheaper still: a delivery of the stream brings up to 1,000 records. */
const linesPerBatch = 100;

/** An item has one line when it is going to expire, and one when it has: nothing is compared before a line is put. */
const linesPerItem = 2;

/** How large an item is, in bytes as DynamoDB counts them. */
const itemBytes = 1024;

/** What both layouts make of orders of 1 KB: bodies as the worker writes them, measured. */
export function measuredLayouts(): { readonly object: LayoutShape; readonly batch: LayoutShape } {
  const orders = sampleOrders(linesPerBatch, itemBytes);
  const bodies = orders.map((order) => bodyOf(order, new Uint8Array(8)));
  const plainBytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  const lines = orders.map((order): BatchLine => {
    const key = keyOf(table, order) ?? { pk: '', sk: '' };
    return { key, digest: digestOf(order), sequence: 10n ** 24n, final: true };
  });
  return {
    object: {
      itemsPerObject: 1,
      objectBytes: plainBytes / linesPerBatch,
      // One look before the put, which finds nothing, and one when the item expires.
      looksAtNothing: 1,
      looks: 1,
      beside: { puts: 0, reads: 0, bytes: 0 },
    },
    batch: {
      itemsPerObject: linesPerBatch / linesPerItem,
      objectBytes: gzipSync(orders.map((order) => bodyOf(order, new Uint8Array())).join('')).byteLength,
      // One look for the manifest, which is put beside it, whatever the class, in STANDARD.
      looksAtNothing: 1,
      looks: 0,
      beside: { puts: 1, reads: 0, bytes: Buffer.byteLength(manifestText(lines)) },
    },
  };
}
