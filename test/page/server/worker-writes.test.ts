import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Item } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import { matchRules } from '../../../src/page/dev-page.ts';
import { Journal } from '../../../src/page/server/journal.ts';
import { workerWrites } from '../../../src/page/server/worker-writes.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import type { StreamRecord } from '../../../src/worker/batch/group.ts';
import { propagateBatch } from '../../../src/worker/propagation/propagate-batch.ts';
import { table } from '../../fixtures/model/table.ts';

const text = z.string();
const clinic = defineKind({
  ...{ name: 'Clinic', type: 'Clinic', pk: 'CLINIC#{clinic}', sk: 'CLINIC' },
  attributes: z.object({ Name: text }),
});
const practitioner = defineKind({
  ...{ name: 'Practitioner', type: 'Practitioner', pk: 'CLINIC#{clinic}', sk: 'PRACTITIONER#{practitioner}' },
  attributes: z.object({ Name: text, Clinic: text }),
});
const appointment = defineKind({
  ...{
    name: 'Appointment',
    type: 'Appointment',
    pk: 'CLINIC#{clinic}',
    sk: 'APPOINTMENT#{practitioner}#{at}',
  },
  attributes: z.object({ Practitioner: text, Clinic: text }),
});
const keep = { onDelete: 'keep', onExpire: 'keep' } as const;

/** A practitioner follows its clinic, and an appointment both: by the practitioner, or each by itself. */
function hospital(isChain: boolean) {
  const onPractitioners = defineRule({
    ...{
      name: 'clinic-on-practitioners',
      root: clinic,
      copy: practitioner,
      copies: { Name: 'Clinic' },
      ...keep,
    },
    located: { in: 'partition', at: ({ ids }) => ({ pk: clinic.pk(ids), begins: 'PRACTITIONER#' }) },
    rootOf: ({ ids }) => clinic.key(ids),
  });
  const onAppointments = defineRule({
    ...{ name: 'practitioner-on-appointments', root: practitioner, copy: appointment, ...keep },
    copies: isChain ? { Name: 'Practitioner', Clinic: 'Clinic' } : { Name: 'Practitioner' },
    located: {
      in: 'partition',
      at: ({ ids }) => ({ pk: practitioner.pk(ids), begins: `APPOINTMENT#${ids.practitioner}#` }),
    },
    rootOf: ({ ids }) => practitioner.key(ids),
  });
  const ofClinic = defineRule({
    ...{
      name: 'clinic-on-appointments',
      root: clinic,
      copy: appointment,
      copies: { Name: 'Clinic' },
      ...keep,
    },
    located: { in: 'partition', at: ({ ids }) => ({ pk: clinic.pk(ids), begins: 'APPOINTMENT#' }) },
    rootOf: ({ ids }) => clinic.key(ids),
  });
  const rules = isChain ? [onPractitioners, onAppointments] : [onAppointments, ofClinic];
  return defineConfig({ table, rules }).registry();
}

const of = (Sort: string, Kind: string, more: Readonly<Record<string, string>>) =>
  itemOf({ Part: 'CLINIC#1', Sort, Kind, ...more });
const items = (name: string): readonly [Item, Item, Item] => [
  of('CLINIC', 'Clinic', { Name: name }),
  of('PRACTITIONER#1', 'Practitioner', { Name: name, Clinic: 'old' }),
  of('APPOINTMENT#1#9', 'Appointment', { Practitioner: 'old', Clinic: 'old' }),
];

const changesIn = (records: readonly StreamRecord[]) =>
  records.flatMap(({ parsed }) => ('key' in parsed ? [parsed] : []));

describe.each([
  ['clinic first', [0, 1]],
  ['practitioner first', [1, 0]],
] as const)('two roots that change in one batch, %s', (_, order) => {
  test.each([
    ['a chain', true],
    ['two rules of one copy', false],
  ])('have each their own copies: %s', async (_rules, isChain) => {
    const registry = hospital(isChain);
    const worker = new ModelWorker(registry);
    for (const item of items('old')) worker.table.put(item);
    worker.stream.take();
    const journal = new Journal({
      registry,
      match: (one) => matchRules(registry, one),
      count: async () => 1,
    });
    const context = { ...worker.context, table: journal.writes.of(worker.port) };
    for (const at of order) worker.table.put(items('new')[at] ?? {});
    for (let records = worker.stream.take(); records.length > 0; records = worker.stream.take()) {
      journal.seen(changesIn(records));
      await propagateBatch(context, records);
    }

    const written = journal.since(0).map(({ id, key, byWorker, cause }) => ({
      ...{ key: key.sk, byWorker, cause },
      copies: journal.detail(id)?.copies.map(({ rule, key: copy }) => [rule, copy.sk]),
    }));
    const [first, second] = order.map((at) => ['CLINIC', 'PRACTITIONER#1'][at]);
    const own = { byWorker: false, cause: undefined };
    expect(written.slice(0, 2).map(({ key }) => key)).toEqual([first, second]);
    const clinicId = order.indexOf(0) + 1;
    const byKey = Map.groupBy(written, ({ key, byWorker }) => `${key} ${byWorker}`);
    const to = (name: string) => [name, 'APPOINTMENT#1#9'];
    expect(byKey.get('PRACTITIONER#1 false')).toMatchObject([
      { ...own, copies: [to('practitioner-on-appointments')] },
    ]);
    if (!isChain) {
      expect(byKey.get('CLINIC false')).toMatchObject([{ ...own, copies: [to('clinic-on-appointments')] }]);
      return;
    }
    expect(byKey.get('CLINIC false')).toMatchObject([
      { ...own, copies: [['clinic-on-practitioners', 'PRACTITIONER#1']] },
    ]);
    expect(byKey.get('PRACTITIONER#1 true')).toMatchObject([
      { cause: clinicId, copies: [to('practitioner-on-appointments')] },
    ]);
  });
});

test('a change that only the archive has read causes no write yet', async () => {
  const registry = hospital(true);
  const journal = new Journal({ registry, match: (one) => matchRules(registry, one), count: async () => 1 });
  const worker = new ModelWorker(registry);
  const context = { ...worker.context, table: journal.writes.of(worker.port) };
  for (const item of items('old')) worker.table.put(item);
  worker.stream.take();
  worker.table.put(items('new')[1]);
  const early = worker.stream.take();
  worker.table.put({ ...items('new')[1], Name: { S: 'newest' } });
  const late = worker.stream.take();
  journal.seen(changesIn([...early, ...late]), 'stream');
  journal.seen(changesIn(early));
  await propagateBatch(context, early);
  journal.seen(changesIn(worker.stream.take()));

  expect(journal.since(0).map(({ arrived }) => arrived)).toEqual([1, 0]);
});

test('writes of one item at once are recognized in whichever order they come back', async () => {
  const writes = workerWrites({ table, now: () => 1, causeOf: (_, { rule }) => rule });
  const key = { pk: 'CLINIC#1', sk: 'APPOINTMENT#1#9' };
  const port = writes.of({
    ...{ get: async () => undefined, getMany: async () => [], transact: async () => [] },
    query: async () => ({ entries: [], next: undefined }),
    update: async (updates) => updates.map(() => 'written'),
  });
  const send = (rule: string, name: string) =>
    port.update([
      {
        ...{ key, set: { [name]: { S: 'new' } }, remove: [], expect: {} },
        writtenFor: { rule, root: key, cause: 'changed' },
      },
    ]);
  await Promise.all([send('of-clinic', 'Clinic'), send('of-practitioner', 'Practitioner')]);
  const take = (name: string) => writes.take(key, [name], { [name]: { S: 'new' } })?.cause;

  expect([take('Practitioner'), take('Clinic')]).toEqual(['of-practitioner', 'of-clinic']);
});
