import { createHash } from 'node:crypto';
import { defineRule, type Rule } from 'stream-denormalizer';
import { GSI2 } from '../table.ts';
import { order } from './shop-items.ts';

/**
 * Indexes orders by status in GSI2, newest last.
 * @param shards partitions for each status, 1 or more. With 1 the key has no suffix. Readers query all suffixes in parallel.
 */
export function orderStatusKeys(shards: number): Rule {
  return defineRule({
    name: 'order-status-keys',
    root: order,
    copy: order,
    reads: { root: ['Status', 'CreatedAt'] },
    located: { in: 'itself' },
    derive: {
      [GSI2.pk]: ({ root }) => `STATUS#${root.Status}${shardOf(root.ids.order, shards)}`,
      [GSI2.sk]: ({ root }) => `ORDER#${root.CreatedAt}`,
    },
    onDelete: 'keep',
    onExpire: 'keep',
  });
}

/** All partitions of GSI2 that contain orders of a status. */
export function statusPartitions(status: string, shards: number): string[] {
  if (shards === 1) return [`STATUS#${status}`];
  return Array.from({ length: shards }, (_, shard) => `STATUS#${status}#${shard}`);
}

/** `#0` to `#<shards - 1>`, always the same for an order; empty if there is one shard. */
function shardOf(orderId: string, shards: number): string {
  return shards === 1 ? '' : `#${createHash('sha256').update(orderId).digest().readUInt32BE() % shards}`;
}
