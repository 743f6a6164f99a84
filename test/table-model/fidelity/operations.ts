import type { Random } from '../../../src/develop/testing/simulation/random.ts';
import type { Condition, ModelTable } from '../../../src/develop/testing/table-model/model-table.ts';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';
import type { CopyLocation } from '../../../src/model/copy-location.ts';
import type {
  Expectation,
  GuardedRemoval,
  GuardedUpdate,
  RootCondition,
} from '../../../src/model/guarded-write.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import { names } from '../../worker/adapters/dynamodb/table-fixture.ts';
import { anyIndexKey, anyValue } from './values.ts';

/** Something that is asked of a table, by an application or by the worker. */
export type Operation =
  | { readonly is: 'put'; readonly item: Item; readonly on: Condition | undefined }
  | {
      readonly is: 'change';
      readonly key: ItemKey;
      readonly set: Item;
      readonly remove: readonly string[];
      readonly on: Condition | undefined;
    }
  | { readonly is: 'delete'; readonly key: ItemKey; readonly on: Condition | undefined }
  | { readonly is: 'read'; readonly keys: readonly ItemKey[] }
  | {
      readonly is: 'partition';
      readonly location: Extract<CopyLocation, { in: 'partition' }>;
      readonly limit: number;
    }
  | {
      readonly is: 'index';
      readonly location: Extract<CopyLocation, { in: 'index' }>;
      readonly limit: number;
    }
  | { readonly is: 'statements'; readonly updates: readonly GuardedUpdate[] }
  | {
      readonly is: 'transaction';
      readonly root: RootCondition;
      readonly removals: readonly GuardedRemoval[];
    };

const partitions = ['p', 'q', 'a#b'];
/** In the order of their bytes, which is not that of their UTF-16 units. */
const entries = ['a', 'a#1', 'a#10', 'a#2', 'ab', 'b', 'B', 'é', '\uffee', '😀', 'a\u0000', '..'];
const tags = ['t', 'u'];
const tagEntries = ['1', '10', '2', 'é', '\uffee', '😀'];
const attributes = [
  'a',
  'b',
  'c',
  'Type',
  'ExpiresAt',
  'constructor',
  'an odd name',
  'x.y',
  'SET',
  '"quoted"',
];
const begins = ['', '', 'a', 'a#', 'a#1', '\uffee', '1', 'z'];

/** The next operation, drawn so that conditions are met about as often as not. */
export function nextOperation(random: Random, table: ModelTable): Operation {
  const draw = random.weighted<() => Operation>([
    [30, () => put(random, table)],
    [12, () => change(random, table)],
    [8, () => deletion(random, table)],
    [8, () => ({ is: 'read', keys: distinctKeys(random, random.int(1, 6)) })],
    [10, () => partitionQuery(random)],
    [12, () => indexQuery(random)],
    [14, () => ({ is: 'statements', updates: updates(random, table) })],
    [6, () => transaction(random, table)],
  ]);
  if (draw === undefined) throw new RangeError('Expected an operation to be drawn');
  return draw();
}

function put(random: Random, table: ModelTable): Operation {
  const key = random.chance(0.01) ? { pk: 'p', sk: '' } : aKey(random);
  const large = random.chance(0.003) ? { a: { S: 'x'.repeat(410 * 1024) } } : {};
  const keys = { [names.pk]: { S: key.pk }, [names.sk]: { S: key.sk } };
  const item = { ...someAttributes(random, 0.35), ...large, ...keys };
  return { is: 'put', item, on: aCondition(random, table, key) };
}

function aKey(random: Random): ItemKey {
  return { pk: random.pick(partitions), sk: random.pick(entries) };
}

function distinctKeys(random: Random, count: number): ItemKey[] {
  const keys = Array.from({ length: count }, () => aKey(random));
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}

function someAttributes(random: Random, probability: number): Item {
  const indexed: [string, AttributeValue][] = random.chance(0.5)
    ? [
        ['TagPk', anyIndexKey(random, tags)],
        ['TagSk', anyIndexKey(random, tagEntries)],
      ]
    : [];
  return Object.fromEntries([
    ...random.some(attributes, probability).map((name) => [name, anyValue(random)] as const),
    ...indexed.filter(() => random.chance(0.9)),
  ]);
}

/** What the item says of some of its attributes, or something else. */
function anExpectation(random: Random, item: Item | undefined): Expectation {
  const named = random.some([...attributes, 'TagPk'], 0.2);
  return Object.fromEntries(
    named.map((name) => {
      const stands = item && Object.hasOwn(item, name) ? item[name] : undefined;
      return [name, random.chance(0.85) ? stands : random.chance(0.3) ? undefined : anyValue(random)];
    }),
  );
}

function aCondition(random: Random, table: ModelTable, key: ItemKey): Condition | undefined {
  if (random.chance(0.5)) return undefined;
  if (random.chance(0.4)) return random.pick(['exists', 'absent']);
  const expected = anExpectation(random, table.read(key));
  return Object.keys(expected).length === 0 ? 'exists' : expected;
}

/** What to set and what to remove: something, and nothing twice. */
function aChange(random: Random): { set: Item; remove: string[] } {
  const set = someAttributes(random, 0.25);
  const remove = random
    .some([...attributes, 'TagPk', 'TagSk'], 0.1)
    .filter((name) => !Object.hasOwn(set, name));
  return Object.keys(set).length + remove.length === 0
    ? { set: { a: anyValue(random) }, remove }
    : { set, remove };
}

function change(random: Random, table: ModelTable): Operation {
  const key = aKey(random);
  return { is: 'change', key, ...aChange(random), on: aCondition(random, table, key) };
}

function deletion(random: Random, table: ModelTable): Operation {
  const key = aKey(random);
  return { is: 'delete', key, on: aCondition(random, table, key) };
}

function partitionQuery(random: Random): Operation {
  const prefix = random.pick(begins);
  const location = {
    in: 'partition' as const,
    pk: random.pick(partitions),
    ...(prefix && { begins: prefix }),
  };
  return { is: 'partition', location, limit: random.int(1, 5) };
}

function indexQuery(random: Random): Operation {
  const [index, pk] = random.chance(0.7) ? ['ByTag', random.pick(tags)] : ['Turned', random.pick(entries)];
  const prefix = random.pick(begins);
  const location = {
    in: 'index' as const,
    index: index ?? '',
    pk: pk ?? '',
    ...(prefix && { begins: prefix }),
  };
  return { is: 'index', location, limit: random.int(1, 5) };
}

function updates(random: Random, table: ModelTable): GuardedUpdate[] {
  return distinctKeys(random, random.int(1, 30)).map((key) => ({
    key,
    ...aChange(random),
    expect: anExpectation(random, table.read(key)),
  }));
}

function transaction(random: Random, table: ModelTable): Operation {
  const [rootKey = aKey(random), ...copies] = distinctKeys(random, random.int(2, 6));
  const root = table.read(rootKey);
  const expect = random.chance(root === undefined ? 0.9 : 0.2) ? 'absent' : anExpectation(random, root);
  const removals = copies.map((key) => {
    const clear = random.chance(0.4)
      ? random.pick([['a'], ['b', 'TagPk'], ['an odd name', 'x.y']])
      : undefined;
    return { key, clear, expect: anExpectation(random, table.read(key)), size: 1_000 };
  });
  return { is: 'transaction', root: { key: rootKey, expect }, removals };
}
