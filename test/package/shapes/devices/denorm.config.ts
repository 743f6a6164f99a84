import { defineArchive, defineConfig, defineKind, defineRule, type TableNames } from 'stream-denormalizer';
import * as z from 'zod';

/** A table without sort key, whose index is by the owner alone. */
const table = {
  pk: 'id',
  indexes: { byOwner: { name: 'by-owner', pk: 'ownerId', projection: 'ALL' } },
  ttl: 'expires',
  type: 'kind',
} as const satisfies TableNames;

const owner = defineKind({ name: 'Owner', pk: 'OWNER#{owner}', attributes: z.object({ name: z.string() }) });

const device = defineKind({
  name: 'Device',
  pk: 'DEVICE#{device}',
  attributes: z.object({ ownerId: z.string(), ownerName: z.string().optional() }),
});

const ownerNameOnDevices = defineRule({
  name: 'owner-name-on-devices',
  root: owner,
  copy: device,
  reads: { copy: ['ownerId'] },
  located: { in: 'index', index: table.indexes.byOwner, at: ({ ids }) => ({ pk: ids.owner }) },
  rootOf: ({ ownerId }) => owner.key({ owner: ownerId }),
  copies: { name: 'ownerName' },
  onDelete: 'delete',
  onExpire: 'keep',
});

export default defineConfig({
  table,
  rules: [ownerNameOnDevices],
  archives: [defineArchive({ name: 'archive-devices', kinds: [device] })],
  stages: { dev: { endpoint: 'http://127.0.0.1:8000', table: 'devices' } },
});
