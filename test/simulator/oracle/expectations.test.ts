import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Item } from '../../../src/model/items/item.ts';
import { defineKind } from '../../../src/model/kinds/define-kind.ts';
import { defineConfig } from '../../../src/model/rules/config.ts';
import { defineRule } from '../../../src/model/rules/define-rule.ts';
import type { RemovalPolicy } from '../../../src/model/rules/rule.ts';
import { faultProfileOf } from '../../../src/simulator/fault-profile.ts';
import { Expectations } from '../../../src/simulator/oracle/expectations.ts';
import { relationOf } from '../../../src/simulator/oracle/relation.ts';
import { replay } from '../../../src/simulator/run.ts';
import { allOthers, type Step } from '../../../src/simulator/world/step.ts';
import { table } from '../../../src/table.ts';
import { ModelTable } from '../../../src/testing/table-model/model-table.ts';

const folder = defineKind({
  name: 'Folder',
  type: 'Folder',
  pk: 'FOLDER#{folder}',
  sk: 'FOLDER',
  attributes: z.object({ Name: z.string(), Files: z.string(), Closed: z.boolean().optional() }),
});

const file = defineKind({
  name: 'File',
  type: 'File',
  pk: 'FOLDER#{folder}',
  sk: 'FILE#{file}',
  attributes: z.object({ Name: z.string().optional() }),
});

const registryWith = (onExpire: RemovalPolicy) =>
  defineConfig({
    table,
    rules: [
      defineRule({
        name: 'name-on-files',
        root: folder,
        copy: file,
        reads: { root: ['Files', 'Closed'] },
        when: { root: ({ Closed }) => Closed !== true },
        located: { in: 'partition', at: ({ ids, Files }) => ({ pk: folder.pk(ids), begins: Files }) },
        rootOf: ({ ids }) => folder.key({ folder: ids.folder }),
        copies: ['Name'],
        onDelete: 'delete',
        onExpire,
      }),
    ],
  }).registry();

const rootKey = { pk: 'FOLDER#1', sk: 'FOLDER' };
const copyKey = { pk: 'FOLDER#1', sk: 'FILE#B' };

const named = { S: 'one' };
const copy = { PK: { S: 'FOLDER#1' }, SK: { S: 'FILE#B' }, Type: { S: 'File' }, Name: named };
const rootWith = (begins: string) => ({
  PK: { S: 'FOLDER#1' },
  SK: { S: 'FOLDER' },
  Type: { S: 'Folder' },
  Name: named,
  Files: { S: begins },
  [table.ttl]: { N: '0' },
});
const here = rootWith('FILE#');
const elsewhere = rootWith('FILE#A');
const excluded = { ...here, Closed: { BOOL: true } };
/** Nothing tells whether the rule applies to it. */
const unsaid = { ...here, Closed: { S: '' } };
const unlocatable = { ...here, Files: { BOOL: true } };

/** A root with a copy, and what is expected of that. */
function beginning(onExpire: RemovalPolicy) {
  const model = new ModelTable(table);
  const relations = registryWith(onExpire).rules.map(relationOf);
  const expectations = new Expectations(relations, model, 0);
  model.watcher = (change) => expectations.note(change);
  model.put(here);
  model.put(copy);
  const asked = () => relations.map((relation) => expectations.of(relation, copyKey)?.end);
  return { model, asked };
}

function expired(onExpire: RemovalPolicy = 'clear') {
  const begun = beginning(onExpire);
  begun.model.expire(rootKey);
  return begun;
}

const clear = (model: ModelTable) => model.update(copyKey, { remove: ['Name'] });

describe('what is expected of a copy whose root has expired', () => {
  it('is what onExpire says', () => {
    expect(expired().asked()).toEqual(['cleared']);
  });

  it('is what onDelete says while the root is elsewhere: it counts as moved', () => {
    const { model, asked } = expired();
    model.put(elsewhere);
    expect(asked()).toEqual(['gone']);
  });

  it('is no more than what onExpire says after that root is gone, too', () => {
    const { model, asked } = expired();
    model.put(elsewhere);
    model.delete(rootKey);
    expect(asked()).toEqual(['cleared']);
  });

  it('is that it is deleted if both policies say so, wherever its root goes', () => {
    const { model, asked } = expired('delete');
    clear(model);
    model.put(elsewhere);
    model.delete(rootKey);
    expect(asked()).toEqual(['gone']);
  });

  it('is what onDelete says if the root comes once more before the copy is cleared', () => {
    const { model, asked } = expired();
    model.put(elsewhere);
    model.delete(rootKey);
    model.put(elsewhere);
    expect(asked()).toEqual(['gone']);
  });

  it('is what onExpire says if it was cleared before the root came again', () => {
    const { model, asked } = expired();
    clear(model);
    model.put(elsewhere);
    expect(asked()).toEqual(['cleared']);
  });

  it('ends when the root comes again where it was', () => {
    const { model, asked } = expired();
    model.put(here);
    expect(asked()).toEqual([undefined]);
  });
});

it('still expects a copy to be deleted that its root had left before it expired', () => {
  const { model, asked } = beginning('clear');
  model.put(elsewhere);
  model.expire(rootKey);
  expect(asked()).toEqual(['gone']);
});

describe('what is expected of a copy of a root that does not tell of its copies', () => {
  const asked = (onExpire: RemovalPolicy, roots: readonly Item[], expires: boolean) => {
    const begun = beginning(onExpire);
    for (const root of roots) begun.model.put(root);
    if (expires) begun.model.expire(rootKey);
    return begun.asked()[0];
  };

  it.each([
    ['that was excluded before', [excluded, unsaid]],
    ['that was excluded before, and cannot be located', [excluded, unlocatable]],
    ['that comes back from elsewhere', [elsewhere, unsaid]],
  ])('is what onExpire says of one %s, and expires', (_, roots) => {
    expect(asked('keep', roots, false)).toBe('gone');
    expect(asked('keep', roots, true)).toBeUndefined();
    expect(asked('clear', roots, true)).toBe('cleared');
  });

  it('is what onDelete says of one that expires after it has left', () => {
    expect(asked('keep', [elsewhere, unlocatable], true)).toBe('gone');
  });

  it('is nothing if an excluded one moves without telling of both places', () => {
    expect(asked('keep', [excluded, unlocatable, elsewhere], false)).toBeUndefined();
  });

  it('is what onDelete says of one that moves on after it has left, or that was deleted before', () => {
    expect(asked('keep', [elsewhere, unlocatable, elsewhere], false)).toBe('gone');
    const { model, asked: askedThen } = beginning('keep');
    model.delete(rootKey);
    model.put(unlocatable);
    model.put(elsewhere);
    expect(askedThen()).toEqual(['gone']);
  });
});

describe('the worker does what is expected of a copy', () => {
  const write = (...writes: Extract<Step, { do: 'write' }>['writes']): Step => ({
    do: 'write',
    who: 'application',
    writes,
  });
  const expire: Step = { do: 'expire', key: rootKey };
  const putElsewhere = write({ put: elsewhere });
  const remove = write({ delete: rootKey });

  function all(invocation: string): Step[] {
    const served: Step = { do: 'serve', invocation, request: undefined, fault: undefined, more: allOthers };
    return Array.from({ length: 4 }, () => served);
  }
  const records = (name: string, most = 10): Step[] => [
    { do: 'read', reader: 'propagate', name, shard: 0, most, again: 'next', back: 0 },
    ...all(name),
  ];
  const messages = (name: string): Step[] => [{ do: 'receive', name, skip: 0, most: 10 }, ...all(name)];
  const begun = [write({ put: here }, { put: copy }), ...records('first')];
  const recheck: Step[] = [{ do: 'wait', milliseconds: 60_000 }, ...messages('recheck')];

  it.each<[string, Step[], number]>([
    [
      'expires, is put elsewhere and removed before the record of its expiry is seen to',
      [expire, putElsewhere, remove, ...records('expiry', 1)],
      1,
    ],
    ['does the same, and all its records come together', [expire, putElsewhere, remove], 0],
    [
      'expires, and is put elsewhere after its copies were cleared and looked at again',
      [expire, ...records('expiry'), ...records('check'), ...recheck, putElsewhere],
      0,
    ],
    [
      'expires, and is put elsewhere before its cleared copies are looked at again',
      [expire, ...records('expiry'), ...records('check'), putElsewhere],
      0,
    ],
    [
      'expires, and comes and goes elsewhere before its cleared copies are looked at again',
      [expire, ...records('expiry'), ...records('check'), putElsewhere, remove],
      0,
    ],
  ])('whose root %s', async (_, steps, exceptions) => {
    const played = await play('clear', steps);
    expect(played.violations).toEqual([]);
    expect(played.exceptions.get('removals of another incarnation')).toBe(exceptions);
  });

  describe.each([1, 10])('whose records come by %i, of a root that', (most) => {
    const put = (...roots: Item[]) => roots.map((root) => write({ put: root }));
    it.each<[string, Step[]]>([
      ['is excluded, and expires', [...put(excluded), expire]],
      ['is excluded, does not tell any more, and expires', [...put(excluded, unsaid), expire]],
      ['is excluded, cannot be located any more, and expires', [...put(excluded, unlocatable), expire]],
      ['leaves, cannot be located any more, and expires', [...put(elsewhere, unlocatable), expire]],
      ['leaves, does not tell when it is back, and expires', [...put(elsewhere, unsaid), expire]],
      ['is excluded, cannot be located any more, and leaves', put(excluded, unlocatable, elsewhere)],
    ])('%s', async (_, steps) => {
      const read = ['one', 'two', 'three'].flatMap((name) => records(name, most));
      for (const onExpire of ['keep', 'clear', 'delete'] as const)
        expect((await play(onExpire, [...steps, ...read])).violations).toEqual([]);
    });
  });

  it('that comes after its root, which never told whether the rule applies to it, is gone', async () => {
    const steps = [write({ put: unsaid }), write({ delete: rootKey }), write({ put: copy })];

    expect((await play('keep', steps, { before: [] })).violations).toEqual([]);
  });

  it('unless a write that was asked for before takes effect after the recheck', async () => {
    const { Name: _, ...bare } = copy;
    const slow: Step = {
      do: 'read',
      reader: 'propagate',
      name: 'slow',
      shard: 0,
      most: 10,
      again: 'next',
      back: 0,
    };
    const one = all('slow')
      .slice(3)
      .map((step) => ({ ...step, more: 0 }) as Step);
    const twice: Step = { ...slow, name: 'twin', again: 'doubled' };
    const before = [write({ put: here }, { put: bare }), slow, ...one, ...one, twice, ...all('twin')];
    const wait: Step = { do: 'wait', milliseconds: 12_000 };
    const gone = [expire, ...records('expiry'), wait, ...messages('recheck'), wait, ...all('slow')];

    const { violations, exceptions } = await play('clear', gone, { before, recheckDelaySeconds: 12 });

    expect(violations).toEqual([]);
    expect(exceptions.get('writes later than the recheck of a removal')).toBe(1);
  });

  function play(
    onExpire: RemovalPolicy,
    steps: readonly Step[],
    { before = begun, recheckDelaySeconds = 60 } = {},
  ) {
    const registry = registryWith(onExpire);
    const profile = { ...faultProfileOf(1, registry), outage: 0, shards: 1, effectsWithin: 0 };
    const settings = { ...profile.settings, recheckDelaySeconds };
    return replay(
      () => ({
        registry,
        profile: { ...profile, settings },
        workload: () => ({ open: () => undefined, write: () => undefined, contend: () => [] }),
        countsWrites: false,
      }),
      1,
      [...before, ...steps],
    );
  }
});
