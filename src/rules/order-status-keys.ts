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
      [GSI2.pk]: ({ root }) => statusPartition(root.Status, root.ids.order, shards),
      [GSI2.sk]: ({ root }) => `ORDER#${root.CreatedAt}`,
    },
    onDelete: 'keep',
    onExpire: 'keep',
  });
}

/** The partition of GSI2 that contains an order: of all those of its status, always the same one. */
export function statusPartition(status: string, orderId: string, shards: number): string {
  if (shards === 1) return `STATUS#${status}`;
  const shard = createHash('sha256').update(orderId).digest().readUInt32BE() % shards;
  return `STATUS#${status}#${shard}`;
}

/** All partitions of GSI2 that contain orders of a status. */
export function statusPartitions(status: string, shards: number): string[] {
  if (shards === 1) return [`STATUS#${status}`];
  return Array.from({ length: shards }, (_, shard) => `STATUS#${status}#${shard}`);
}
