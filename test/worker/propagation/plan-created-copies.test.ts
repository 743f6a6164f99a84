import { describe, expect, test } from 'vitest';
import { type Item, keyText } from '../../../src/model/items/item.ts';
import type { Rule } from '../../../src/model/rules/rule.ts';
import type { ModelWorker } from '../../../src/testing/table-model/model-worker.ts';
import { propagate } from '../../../src/worker/propagation/propagate.ts';
import {
  aMember,
  anAddress,
  aPost,
  aTagged,
  memberOnAddress,
  post,
  taggedPost,
  titleOnTags,
} from '../../fixtures/world/posts.ts';
import { about, codesOf, keyIn, oneBatch } from '../../fixtures/world/worker.ts';
import { registryOf, workerOver as workerOf } from '../../fixtures/world/world.ts';

const underA = keyIn(aTagged('a'));

function workerOver(items: readonly Item[], rules: readonly Rule[] = [titleOnTags]): ModelWorker {
  return workerOf(items, {}, registryOf(...rules));
}

/** The same, once these items were put. */
async function afterPut(items: readonly Item[], put: readonly Item[], ...rules: readonly Rule[]) {
  const worker = workerOver(items, rules.length === 0 ? undefined : rules);
  for (const one of put) worker.table.put(one);
  await worker.rest();
  return worker;
}

/** The items that are no roots, by their keys. */
function copies(worker: ModelWorker): Item[] {
  const found = worker.table.items().filter((one) => !['POST', 'MEMBER'].includes(keyIn(one).sk));
  return found.toSorted((a, b) => (keyText(keyIn(a)) < keyText(keyIn(b)) ? -1 : 1));
}

describe('a missing copy', () => {
  test.each([
    ['is made again, from the root as it is', ['a', 'b'], [aTagged('a', 'two'), aTagged('b', 'two')]],
    ['stays so if its root places it no more', ['b'], [aTagged('b', 'two')]],
  ])('that was deleted by hand %s', async (_, tags, left) => {
    const worker = workerOver([aPost(tags, 'two'), aTagged('a', 'two'), aTagged('b', 'two')]);
    worker.table.delete(underA);

    await worker.rest();

    expect(copies(worker)).toEqual(left);
    expect(worker.port.counts.itemsCreated).toBe(left.length - 1);
  });

  test('that may not have been put is requeued by name', async () => {
    const worker = workerOver([aPost(['a', 'b', 'c'], 'two'), aTagged('a')]);
    worker.port.answer = ({ pk }, outcome) => (pk === 'TAG#c' ? 'unavailable' : outcome);

    const limits = { attempts: 5, unavailableSince: 1 };
    await propagate(worker.context, about('title-on-tags', aPost([]), limits));

    const message = { copies: [keyIn(aTagged('c'))], attempts: 0, unavailableSince: worker.time };
    expect(worker.queue.sent).toMatchObject([{ message }]);
  });
});

describe('a copy that cannot be made is dead-lettered, and not put', () => {
  const { Tags: _, ...untagged } = aPost([]);
  const ofCopy: Rule = {
    ...{ ...titleOnTags, copies: [], reads: { root: ['Tags'], copy: ['Title'] } },
    derive: { Title: ({ copy }) => `${copy.Title}!` },
  };
  const ofAnotherKind: Rule = {
    ...titleOnTags,
    located: { in: 'key', at: () => ({ pk: 'TOG#a', sk: 'POST#1' }) },
  };
  const ofAnotherRoot: Rule = { ...titleOnTags, rootOf: () => post.key({ post: '2' }) };
  const ofAnotherTenant: Rule = {
    ...{ ...titleOnTags, tenant: 'post', rootOf: () => post.key({ post: '1' }) },
    located: { in: 'key', at: () => taggedPost.key({ tag: 'a', post: '2' }) },
  };
  const misnaming = { ...memberOnAddress, derive: { MemberId: () => '2' } };
  const member = aMember('1', 'a@x');
  const [invalidTwice, misnamed] = [['copy.invalid', 'copy.invalid'], ['copy.misnamed']];

  test.each<[string, readonly Item[], Item, Rule, readonly string[]]>([
    ['its root lacks what locates it', [], untagged, titleOnTags, ['root.invalid']],
    ['it is derived from attributes of the copy', [aTagged('a')], aPost(['a', 'b']), ofCopy, invalidTwice],
    ['it would be of another kind', [], aPost(['a']), ofAnotherKind, misnamed],
    ['it would name another root', [], aPost(['a']), ofAnotherRoot, misnamed],
    ['it would be another tenant’s', [], aPost(['a']), ofAnotherTenant, ['copy.crosses-tenant']],
    ['it exists, and would then name another root', [anAddress('1', 'a@x')], member, misnaming, misnamed],
  ])('if %s', async (_, before, root, rule, codes) => {
    const worker = await afterPut(before, [root], rule);

    expect([copies(worker), codesOf(worker)]).toEqual([before, codes]);
  });
});

describe('a key that two roots want', () => {
  const mine = anAddress('1', 'a@x');
  const taken = [aMember('1', 'a@x'), mine];
  const bob = aMember('2', 'a@x', 'Bob');

  test('belongs to the first; the other is dead-lettered after 45 minutes', async () => {
    const worker = workerOver(taken, [memberOnAddress]);
    worker.table.put(bob);
    await oneBatch(worker);
    expect(codesOf(worker)).toEqual([]);

    const delays = await worker.workOff(100_000);

    expect(copies(worker)).toEqual([mine]);
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBeGreaterThan(45 * 60);
    const message = { root: keyIn(bob), copies: [keyIn(mine)] };
    const reason = expect.stringContaining('to be free, found another item, which is never overwritten');
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.taken', reason, message }]);
    expect(worker.telemetry.propagations.at(-1)).toMatchObject({ foreign: 1, written: 0, deadLettered: 1 });
  });

  test('is dead-lettered once if the root was put again, however often redriven', async () => {
    const worker = workerOver([...taken, bob], [{ ...memberOnAddress, onDelete: 'clear' }]);
    worker.table.delete(keyIn(bob));
    worker.table.put(bob);
    await oneBatch(worker);
    await worker.workOff(100_000);
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.taken', message: { cause: 'deleted' } }]);

    const redriven = worker.queue.deadLettered.splice(0).flatMap(({ message }) => message ?? []);
    await worker.context.queue.send(redriven);
    await worker.workOff(100_000);

    expect(worker.queue.deadLettered).toHaveLength(1);
  });

  test('is asked for again when its copy is made to name another root', async () => {
    const worker = await afterPut(taken, [anAddress('3', 'a@x')], memberOnAddress);

    const message = { root: keyIn(aMember('1', '')) };
    expect(worker.queue.deadLettered).toMatchObject([{ code: 'copy.taken', message }]);
  });
});
