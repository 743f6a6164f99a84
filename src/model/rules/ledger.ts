import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type Item, type ItemKey, itemKeySchema, keyText } from '../items/item.ts';
import { maxSkBytes } from '../items/table-names.ts';
import { defineKind } from '../kinds/define-kind.ts';
import { type AnyKind, type Ids, keyWith } from '../kinds/kind.ts';
import type { Aggregate } from './aggregate.ts';
import { isMean } from './reducers.ts';

/*
 * The worker's own items of an aggregate with a ledger, in partitions of their own:
 *
 *   PK ~likes#0/8#["POST#1","POST"]   SK head                          ~target, ~posts, +Likes: the sum of the entries beside it
 *                                     SK entry#["LIKE#1","USER#ada"]   ~target, ~member, +Likes: what the member counts for
 *
 * A member's entries and its head are in the shard that the member's key hashes to. Keys name the number of shards: with another
 * number, a member has another entry, and must not count twice. Names begin with what no key of a table or an index begins with.
 */

/** Of a head, how many transactions have added to it: equal sums do not tell that its entries are those of before. */
export const postsName = '~posts';

const headSk = 'head';
const entryPrefix = 'entry#';
const targetName = '~target';
const memberName = '~member';

/** Leaves room for the prefixes before and after it. Source: AWS, "Quotas", partition and sort keys. */
const longest = maxSkBytes - 100;

/** With what the partition keys of a ledger begin. */
function ledgerPrefix({ name }: Pick<Aggregate, 'name'>): string {
  return `~${name}#`;
}

export function headKey(aggregate: Aggregate, target: ItemKey, shard: number): ItemKey {
  const shards = aggregate.ledger?.shards ?? 1;
  return { pk: `${ledgerPrefix(aggregate)}${shard}/${shards}#${textOrDigest(target)}`, sk: headSk };
}

export function entryKey(aggregate: Aggregate, target: ItemKey, member: ItemKey): ItemKey {
  const { pk } = headKey(aggregate, target, shardOf(aggregate, member));
  return { pk, sk: `${entryPrefix}${textOrDigest(member)}` };
}

/** The head of an entry's shard. */
export function headOf({ pk }: Pick<ItemKey, 'pk'>): ItemKey {
  return { pk, sk: headSk };
}

function textOrDigest(key: ItemKey): string {
  const text = keyText(key);
  return Buffer.byteLength(text) <= longest ? text : createHash('sha256').update(text).digest('base64url');
}

function shardOf({ ledger }: Aggregate, member: ItemKey): number {
  const shards = ledger?.shards ?? 1;
  if (shards === 1) return 0;
  return createHash('sha256').update(keyText(member)).digest().readUInt32BE() % shards;
}

/** The sum of contributions to an attribute, and for an average how many there were. */
export const sumName = (attribute: string) => `+${attribute}`;
export const countName = (attribute: string) => `#${attribute}`;

/** The attributes of entries and heads, in their order. */
export function sumNames({ computes }: Pick<Aggregate, 'computes'>): readonly string[] {
  return Object.entries(computes).flatMap(([name, reducer]) =>
    isMean(reducer) ? [sumName(name), countName(name)] : [sumName(name)],
  );
}

/** The attribute that counts all members. */
export function countOf({ computes }: Pick<Aggregate, 'computes'>): string | undefined {
  return Object.keys(computes).find((name) => computes[name]?.add === 'count');
}

/** Whether this is the key of an entry or a head. */
export function isOfLedger(aggregate: Aggregate, { pk }: ItemKey): boolean {
  return aggregate.ledger !== undefined && pk.startsWith(ledgerPrefix(aggregate));
}

export function isHead(aggregate: Aggregate, { pk, sk }: ItemKey): boolean {
  return sk === headSk && isOfLedger(aggregate, { pk, sk });
}

/** Whose entry an item is; undefined if it is none of this aggregate. */
export function entryIn(
  aggregate: Aggregate,
  key: ItemKey,
  item: Item,
): { readonly target: ItemKey; readonly member: ItemKey } | undefined {
  if (!isOfLedger(aggregate, key) || !key.sk.startsWith(entryPrefix)) return undefined;
  const [target, member] = [targetNamed(item), keyAt(item, memberName)];
  return target === undefined || member === undefined ? undefined : { target, member };
}

/** What a head says beside its sums, and an entry. */
export function namesOfLedger(target: ItemKey, member?: ItemKey): Item {
  return { [targetName]: keyValue(target), ...(member && { [memberName]: keyValue(member) }) };
}

/** The target of an entry or a head; undefined if the item is neither. */
export function targetNamed(item: Item): ItemKey | undefined {
  return keyAt(item, targetName);
}

function keyValue({ pk, sk }: ItemKey): Item[string] {
  return { M: { pk: { S: pk }, sk: { S: sk } } };
}

function keyAt(item: Item, name: string): ItemKey | undefined {
  const value = item[name];
  if (value === undefined || !('M' in value)) return undefined;
  const { pk, sk } = value.M;
  return pk && 'S' in pk && sk && 'S' in sk ? { pk: pk.S, sk: sk.S } : undefined;
}

interface Parts {
  readonly heads: Aggregate;
  readonly entries: Aggregate;
}

/** A target, as an aggregate of the heads in its ledger. */
export function headsOf(aggregate: Aggregate): Aggregate {
  return partsOf(aggregate).heads;
}

/** A head, as an aggregate of its entries. */
export function entriesOf(aggregate: Aggregate): Aggregate {
  return partsOf(aggregate).entries;
}

/** The kinds of which an aggregate reads changes: its members, its target, and the items of its ledger. */
export function kindsReadBy(aggregate: Aggregate): readonly AnyKind[] {
  return [aggregate.of, aggregate.on, ...kindsOfLedger(aggregate)];
}

function kindsOfLedger(aggregate: Aggregate): readonly AnyKind[] {
  return aggregate.ledger === undefined ? [] : [headsOf(aggregate).of, entriesOf(aggregate).of];
}

const known = new WeakMap<Aggregate, Parts>();

function partsOf(aggregate: Aggregate): Parts {
  const parts = known.get(aggregate) ?? makeParts(aggregate);
  known.set(aggregate, parts);
  return parts;
}

function makeParts(aggregate: Aggregate): Parts {
  const { name, computes, ledger } = aggregate;
  const shards = Array.from({ length: ledger?.shards ?? 1 }, (_, shard) => shard);
  const names = sumNames(aggregate);
  const sum = z.optional(z.union([z.number(), z.string()]));
  const kind = (what: string, sk: string) =>
    defineKind({
      name: `${what} of ${name}`,
      pk: `${ledgerPrefix(aggregate)}{shard}#{target}`,
      sk,
      attributes: z.object({
        [targetName]: itemKeySchema,
        ...Object.fromEntries([postsName, ...names].map((one) => [one, sum])),
      }),
    });
  const head = kind('Head', headSk);
  const unlimited = { limit: Number.POSITIVE_INFINITY, invalid: 'dead-letter' } as const;
  const common = { ...aggregate, ...unlimited, ledger: undefined };
  return {
    heads: {
      ...common,
      areHeads: true,
      memberCount: countOf(aggregate),
      of: head,
      reads: { member: [targetName, ...names], target: [] },
      members: shards.map((shard) => ({
        in: 'partition',
        at: ({ ids }) => ({ pk: headKey(aggregate, targetWith(aggregate, ids), shard).pk, begins: headSk }),
      })),
      // The key of a target may not fit into that of its head.
      targetsOf: (one) => [itemKeySchema.parse(one[targetName])],
      computes: Object.fromEntries(
        Object.entries(computes).map(([attribute, reducer]) => [
          attribute,
          isMean(reducer)
            ? { ...reducer, of: sumName(attribute), weight: countName(attribute) }
            : { add: 'sum', of: sumName(attribute) },
        ]),
      ),
    },
    entries: {
      ...common,
      creates: false,
      onEmpty: undefined,
      of: kind('Entry', `${entryPrefix}{member}`),
      on: head,
      reads: { member: names, target: [postsName] },
      members: [{ in: 'partition', at: ({ ids }) => ({ pk: head.pk(ids), begins: entryPrefix }) }],
      targetsOf: ({ ids }) => [head.key(ids)],
      computes: Object.fromEntries(names.map((one) => [one, { add: 'sum', of: one }])),
    },
  };
}

/** A target whose ids make no key has no head either. */
function targetWith({ on }: Aggregate, ids: Ids): ItemKey {
  return keyWith(on, ids) ?? { pk: '', sk: '' };
}
