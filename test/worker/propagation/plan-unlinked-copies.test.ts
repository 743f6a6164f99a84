import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { jsValue } from '../../../src/model/items/attribute-value.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import { GSI3, table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { lookAt } from '../../../src/worker/verify/inspect.ts';
import { codesOf } from '../../fixtures/world/worker.ts';
import { workerAfter, workerOver } from '../../fixtures/world/world.ts';
import { notes } from '../../simulation/notes-rules.ts';

const person = defineKind({
  name: 'Person',
  pk: 'TENANT#{tenant}#PERSON#{person}',
  sk: 'PERSON',
  attributes: z.object({ Name: z.string(), Tags: z.array(z.string()).optional() }),
});

/** It names its person, perhaps one of another tenant, by foreign keys that it may lose. */
const task = defineKind({
  name: 'Task',
  pk: 'TENANT#{tenant}#TASK#{task}',
  sk: 'TASK',
  attributes: z.object({
    PersonId: z.string().optional(),
    PersonTenant: z.string().default('1'),
    PersonName: z.string(),
    Shout: z.string(),
  }),
  keys: { [GSI3.name]: { pk: 'TENANT#{PersonTenant}#PERSON#{PersonId}', sk: 'TASK#{task}' } },
});

const common = { root: person, onDelete: 'keep', onExpire: 'keep' } as const;

const nameOnTasks = defineRule({
  ...common,
  name: 'name-on-tasks',
  copy: task,
  reads: { copy: ['PersonId', 'PersonTenant'] },
  located: { in: 'index', index: GSI3, of: task },
  rootOf: ({ PersonId, PersonTenant }) =>
    PersonId === undefined ? undefined : person.key({ tenant: PersonTenant, person: PersonId }),
  copies: { Name: 'PersonName' },
  tenant: 'tenant',
  onUnlink: 'clear',
});

const shoutOnTasks = defineRule({
  ...common,
  name: 'shout-on-tasks',
  copy: task,
  reads: { copy: ['PersonId', 'PersonTenant', 'PersonName'] },
  located: { in: 'index', index: GSI3, of: task },
  rootOf: nameOnTasks.rootOf as never,
  derive: { Shout: ({ copy }) => copy.PersonName.toUpperCase() },
});

const tagged = defineKind({
  name: 'Tagged',
  pk: 'TAG#{tag}',
  sk: 'TAGGED',
  attributes: z.object({ Person: z.string().optional() }),
});

const visit = defineKind({
  name: 'Visit',
  pk: 'TENANT#{tenant}#VISITS',
  sk: 'VISIT#{visit}',
  attributes: z.object({ PersonId: z.string().optional(), PersonName: z.string() }),
});

/** It creates copies that say whose they are only in an attribute. */
const personOnTags = defineRule({
  ...common,
  name: 'person-on-tags',
  copy: tagged,
  reads: { root: ['Tags'], copy: ['Person'] },
  located: { in: 'keys', at: ({ Tags = [] }) => Tags.map((tag) => tagged.key({ tag })) },
  rootOf: ({ Person }) => (Person === undefined ? undefined : person.key({ tenant: '1', person: Person })),
  creates: true,
  derive: { Person: ({ root }) => root.ids.person },
  onUnlink: 'delete',
});

const { pk, sk } = table;
const taskKey = task.key({ tenant: '1', task: '1' });
const adaKey = person.key({ tenant: '1', person: 'ada' });

async function workerWith(rules: readonly Rule[], tasks: Readonly<Record<string, string>>, Tags = ['a']) {
  const worker = workerOver([], {}, defineConfig({ table, rules }).registry());
  worker.table.put(itemOf({ [pk]: adaKey.pk, [sk]: adaKey.sk, Name: 'Ada', Tags }));
  const bea = person.key({ tenant: '2', person: 'bea' });
  worker.table.put(itemOf({ [pk]: bea.pk, [sk]: bea.sk, Name: 'Bea' }));
  await worker.rest();
  worker.table.put(itemOf({ [pk]: taskKey.pk, [sk]: taskKey.sk, PersonTenant: '1', ...tasks }));
  await worker.rest();
  return worker;
}

function seen({ table: items }: ModelWorker, key = taskKey): unknown {
  const item = items.read(key);
  return item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, jsValue(value)]));
}

describe('a copy that stops naming its root', () => {
  test('by a NULL, has no index keys any more, and loses what was copied', async () => {
    const worker = await workerWith([nameOnTasks], { PersonId: 'ada' });
    expect(seen(worker)).toMatchObject({ PersonName: 'Ada', [GSI3.sk]: 'TASK#1' });
    worker.table.update(taskKey, { set: { PersonId: { NULL: true } } });
    await worker.rest();

    expect(seen(worker)).toEqual({
      ...{ [pk]: taskKey.pk, [sk]: taskKey.sk },
      ...{ PersonTenant: '1', PersonId: null },
    });
    expect(codesOf(worker)).toEqual([]);
  });

  test('of another tenant, keeps what the rule can never have written', async () => {
    const named = { PersonId: 'bea', PersonTenant: '2', PersonName: 'own' };
    const worker = await workerWith([nameOnTasks], named);
    expect(codesOf(worker)).toEqual(['copy.crosses-tenant']);
    worker.table.update(taskKey, { remove: ['PersonId'] });
    await worker.rest();

    expect(seen(worker)).toMatchObject({ PersonName: 'own' });
    expect(codesOf(worker)).toEqual(['copy.crosses-tenant']);
  });

  test('and was created, is ended by its policy once its root places none there', async () => {
    const worker = await workerWith([personOnTags], {});
    const tagKey = tagged.key({ tag: 'a' });
    expect(seen(worker, tagKey)).toMatchObject({ Person: 'ada' });
    worker.table.update(adaKey, { remove: ['Tags'] });
    await worker.rest();
    worker.table.update(tagKey, { remove: ['Person'] });
    await worker.rest();

    expect(seen(worker, tagKey)).toBeUndefined();
  });
});

describe('a copy that stops naming its root while the root changes in the same batch', () => {
  const placedBy = (located: 'partition' | 'key' | 'keys') => {
    const at = ({ ids }: { ids: { tenant: string } }) => visit.key({ ...ids, visit: '1' });
    return defineRule({
      ...common,
      name: 'name-on-visits',
      copy: visit,
      reads: { copy: ['PersonId'] },
      located:
        located === 'partition'
          ? { in: located, at: ({ ids }) => ({ pk: visit.pk(ids) }) }
          : located === 'key'
            ? { in: located, at }
            : { in: located, at: (root) => [at(root)] },
      rootOf: ({ ids, PersonId }) =>
        PersonId === undefined ? undefined : person.key({ tenant: ids.tenant, person: PersonId }),
      copies: { Name: 'PersonName' },
      onUnlink: 'clear',
    });
  };
  const visitKey = visit.key({ tenant: '1', visit: '1' });

  test.each(['partition', 'key', 'keys'] as const)('loses what was copied in a %s', async (located) => {
    const worker = await workerAfter(
      [
        itemOf({ [pk]: adaKey.pk, [sk]: adaKey.sk, Name: 'Ada' }),
        itemOf({ [pk]: visitKey.pk, [sk]: visitKey.sk, PersonId: 'ada' }),
      ],
      defineConfig({ table, rules: [placedBy(located)] }).registry(),
    );
    expect(seen(worker, visitKey)).toMatchObject({ PersonName: 'Ada' });
    worker.table.update(adaKey, { set: { Name: { S: 'Ada L.' } } });
    worker.table.update(visitKey, { remove: ['PersonId'] });
    await worker.rest();

    expect(seen(worker, visitKey)).toEqual({ [pk]: visitKey.pk, [sk]: visitKey.sk });
  });
});

test('a copy whose invalid attribute another rule writes is tried again', async () => {
  const worker = await workerWith([nameOnTasks, shoutOnTasks], { PersonId: 'ada' });
  expect(seen(worker)).toMatchObject({ PersonName: 'Ada', Shout: 'ADA' });
  worker.table.update(taskKey, { set: { PersonName: { NULL: true }, Shout: { S: 'x' } } });
  await worker.rest();

  expect(seen(worker)).toMatchObject({ PersonName: 'Ada', Shout: 'ADA' });
  expect(codesOf(worker)).toEqual([]);
});

test('a note that never named an author is left alone, and reported', async () => {
  const noteKey = { pk: 'NOTE#1', sk: 'NOTE' };
  const note = itemOf({
    [pk]: noteKey.pk,
    [sk]: noteKey.sk,
    [table.type]: 'Note',
    Text: 'own',
    AuthorName: 'whoever',
  });
  const worker = await workerAfter([note], notes('clear'));

  const { registry } = worker.context;
  const [rule = expect.fail('no rule')] = registry.rules;
  const candidates = [{ is: 'copy' as const, rule, copy: { key: noteKey, item: note } }];
  expect(worker.table.read(noteKey)).toEqual(note);
  expect(await lookAt({ registry, table: worker.port, orphans: 'unexplained' }, candidates)).toMatchObject([
    { classification: { is: 'drift', drift: { kind: 'unlinked', copy: noteKey } } },
  ]);
});
