import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/items/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rules/rule.ts';
import type { ModelTable } from '../../../src/testing/table-model/model-table.ts';
import { hasCopy } from '../../../src/worker/verify/classify-copy.ts';
import { bound } from '../../fixtures/model/bound.ts';
import {
  aMember,
  anAddress,
  aPost,
  aTagged,
  memberOnAddress,
  titleOnTags,
  titleOnTagsThat,
} from '../../fixtures/world/posts.ts';
import { WorldSearch } from '../../fixtures/world/search.ts';
import { keyIn } from '../../fixtures/world/worker.ts';

const tags = ['a', 'b', 'c'] as const;
const whole = [aPost(tags), ...tags.map((tag) => aTagged(tag))];
const left = aTagged('z');
const { Title: _, ...cleared } = left;
const stranger = { ...aTagged('b'), Kind: { S: 'Stranger' } };
const missing = 'missing title-on-tags TAG#b POST#1';
const unlisted = 'unlisted title-on-tags TAG#z POST#1';

describe('a search for drift, by a rule that lists keys and creates', () => {
  test('finds the copy that is missing, and the one at a key that left the list', async () => {
    const search = searchOf([...without('b'), left]);
    const before = search.table.history.length;

    const state = await search.run();

    expect(search.lines()).toEqual([missing, unlisted]);
    expect(search.found.map(({ root }) => root)).toEqual([keyIn(aPost([])), keyIn(aPost([]))]);
    expect(state.rules['title-on-tags']).toMatchObject({ copies: 3, missing: 1, unlisted: 1 });
    expect(search.table.history).toHaveLength(before);
  });

  test.each<[string, (table: ModelTable) => void]>([
    ['the copy has been made', (table) => table.put(aTagged('b'))],
    ['the root no longer lists the key', (table) => table.put(aPost(['a', 'c']))],
    ['the root is gone', (table) => table.delete(keyIn(aPost([])))],
  ])('finds no missing copy if, after the scan, %s', async (_, meanwhile) => {
    const search = searchOf(without('b'));
    let scanned = false;
    await search.run({
      onState: () => {
        if (!scanned) meanwhile(search.table);
        scanned = true;
      },
    });

    expect(search.lines().filter((line) => line.startsWith('missing'))).toEqual([]);
  });

  test('judges a missing copy by the root as read after the key', async () => {
    const search = searchOf(without('b'));
    search.port.before = ({ kind }) => {
      if (kind === 'getMany') search.table.put(aPost(['a', 'c']));
    };

    const state = await search.run();

    expect([search.lines(), state.suspectedDrifts]).toEqual([[], []]);
  });

  test.each<[string, Rule, Item[], string[]]>([
    ['does not apply to the root', { ...titleOnTags, when: { root: () => false } }, [aPost(['a'])], []],
    ['does not create', titleOnTagsThat('delete'), [...without('b'), left], [unlisted]],
  ])('finds no missing copies by a rule that %s', async (_, rule, items, lines) => {
    const search = searchOf(items, rule);
    await search.run();

    expect(search.lines()).toEqual(lines);
  });

  test.each<[RemovalPolicy, number, Item]>([
    ['keep', 1, left],
    ['clear', 0, left],
    ['clear', 1, cleared],
  ])('asks onDelete (%s) whether a copy at such a key is drift', async (policy, kept, copy) => {
    const search = searchOf([...whole, copy], titleOnTagsThat(policy, 'delete', true));

    const state = await search.run();

    expect(state.rules['title-on-tags']).toMatchObject({ kept, unlisted: 1 - kept });
  });

  test('reports a key with another item, and a root that does not say where', async () => {
    const { Tags, ...invalid } = aPost([], 'one', '2');
    const search = searchOf([...without('b'), stranger, invalid]);
    await search.run();

    const found = search.found.map(({ kind, code, copy }) => `${kind} ${code} ${copy.pk}`);
    expect(found.toSorted()).toEqual(['invalid copy.taken TAG#b', 'invalid root.invalid POST#2']);
  });

  test('reports the second of two roots that want one key', async () => {
    const search = searchOf(
      [aMember('1', 'a@x'), anAddress('1', 'a@x'), aMember('2', 'a@x', 'Bob')],
      memberOnAddress,
    );

    await search.run();

    expect(search.found).toMatchObject([
      { kind: 'invalid', code: 'copy.taken', root: keyIn(aMember('2', '')) },
    ]);
  });
});

describe('a repair', () => {
  test('makes what is missing, and removes nothing unless it may', async () => {
    const search = searchOf([...without('b'), left, aPost(['a'], 'one', '2')]);
    await search.run();

    const outcome = await search.propagations().repair(search.found);

    expect(outcome).toMatchObject({ written: 2, removed: 0 });
    expect(outcome.leftAlone).toMatchObject([{ code: 'unlisted', copy: keyIn(left) }]);
    expect(search.table.read(keyIn(aTagged('b')))).toEqual(aTagged('b'));
    expect(search.table.read(keyIn(left))).toEqual(left);
  });

  test.each<[RemovalPolicy, Item | undefined]>([
    ['delete', undefined],
    ['clear', cleared],
  ])('applies onDelete (%s) to copies at keys that left the list, and to no other', async (policy, then) => {
    const search = searchOf([...without('b'), left, orphan], titleOnTagsThat(policy, policy, true));
    await search.run();
    const before = search.table.history.length;

    const outcome = await search.propagations({ allowRemove: true }).repair(search.found);

    expect(outcome).toMatchObject({ written: 1, removed: 1, leftAlone: [] });
    expect(search.table.read(keyIn(left))).toEqual(then);
    const changed = search.table.history.slice(before).map(({ key }) => key.pk);
    expect(changed.toSorted()).toEqual(['TAG#b', 'TAG#z']);
    search.found.length = 0;
    await search.run();
    expect(search.lines()).toEqual(['orphan title-on-tags TAG#a POST#9']);
  });

  test.each<[string, (table: ModelTable) => void]>([
    ['the root is gone', (table) => table.delete(keyIn(aPost([])))],
    ['the root lists the one key again, and the other no more', (table) => table.put(aPost(['a', 'c', 'z']))],
  ])('leaves a copy, and makes none, if after the search %s', async (_, meanwhile) => {
    const search = searchOf([...without('b'), left]);
    await search.run();
    meanwhile(search.table);

    const outcome = await search.propagations({ allowRemove: true }).repair(search.found);

    expect(outcome).toMatchObject({ written: 0, removed: 0 });
    expect(search.table.read(keyIn(left))).toEqual(left);
    expect(search.table.read(keyIn(aTagged('b')))).toBeUndefined();
  });
});

describe('a key at which a root places a copy', () => {
  const placed = { rule: memberOnAddress, root: keyIn(aMember('1', '')), key: keyIn(anAddress('1', 'a@x')) };
  const throwing = () => {
    throw new Error('odd');
  };

  test.each<[string, boolean, Item | undefined, Partial<Rule>]>([
    ['its copy', true, anAddress('1', 'a@x'), {}],
    ['that of another root', false, anAddress('2', 'a@x'), {}],
    ['one that names no root', false, anAddress('1', 'a@x'), { rootOf: () => undefined }],
    [
      'one of which nothing tells the root: it is judged as a copy',
      true,
      anAddress('1', 'a@x'),
      { rootOf: throwing },
    ],
    ['an item of another kind', false, aMember('1', 'a@x'), {}],
    ['nothing', false, undefined, {}],
  ])('has %s: %s', (_, has, at, changed) => {
    expect(hasCopy({ ...placed, rule: bound({ ...memberOnAddress, ...changed }) }, at)).toBe(has);
  });
});

/** An orphan, which no repair touches. */
const orphan = aTagged('a', 'one', '9');

function searchOf(items: readonly Item[], rule: Rule = titleOnTags): WorldSearch {
  return new WorldSearch(items, rule);
}

function without(tag: string): Item[] {
  return whole.filter((item) => keyIn(item).pk !== `TAG#${tag}`);
}
