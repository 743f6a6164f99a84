import {
  count,
  defineAggregate,
  defineConfig,
  defineKind,
  defineRule,
  max,
  type TableNames,
} from 'stream-denormalizer';
import * as z from 'zod';

/** A table whose sort key is a number. */
const table = {
  pk: 'device',
  sk: { name: 'at', type: 'N' },
  indexes: {},
  ttl: 'expires',
  type: 'kind',
} as const satisfies TableNames;

const device = defineKind({
  name: 'Device',
  pk: 'DEVICE#{device}',
  sk: '0',
  attributes: z.object({ name: z.string(), readings: z.number().optional(), warmest: z.number().optional() }),
});

const reading = defineKind({
  name: 'Reading',
  pk: 'READINGS#{device}',
  sk: '{at:bigint}',
  attributes: z.object({ celsius: z.number(), deviceName: z.string().optional() }),
});

const deviceNameOnReadings = defineRule({
  name: 'device-name-on-readings',
  root: device,
  copy: reading,
  located: { in: 'partition', at: ({ ids }) => ({ pk: reading.pk(ids), from: 0 }) },
  rootOf: ({ ids }) => device.key(ids),
  copies: { name: 'deviceName' },
  onDelete: 'keep',
  onExpire: 'keep',
});

const readingsOfDevice = defineAggregate({
  name: 'readings-of-device',
  of: reading,
  on: device,
  members: { in: 'partition', at: ({ ids }) => ({ pk: reading.pk(ids), from: 0 }) },
  targetsOf: ({ ids }) => [device.key(ids)],
  computes: { readings: count(), warmest: max('celsius') },
});

export default defineConfig({
  table,
  rules: [deviceNameOnReadings],
  aggregates: [readingsOfDevice],
  stages: { dev: { endpoint: 'http://127.0.0.1:8000', table: 'readings' } },
});
