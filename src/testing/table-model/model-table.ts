import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { compareParts, type QueriedLocation } from '../../model/items/copy-location.ts';
import { itemToJson } from '../../model/items/dynamodb-json.ts';
import {
  type Item,
  type ItemKey,
  type KeyedItem,
  keyAttributes,
  keyOf,
  keyText,
  keyWords,
} from '../../model/items/item.ts';
import { isKeyName, keyParts, type TableNames } from '../../model/items/table-names.ts';
import {
  type Expectation,
  type GuardedAction,
  type GuardedRemoval,
  type GuardedUpdate,
  headAfter,
  isCreation,
  type RootCondition,
  remainderOf,
  type WriteOutcome,
} from '../../model/work/guarded-write.ts';
import type { Cursor } from '../../model/work/message.ts';
import type { Page } from '../../worker/ports.ts';
import { isRefused, ModelRefusal, refuseImpossible } from './impossible-item.ts';
import { ModelIndexes, pageOf } from './model-indexes.ts';
import { sameItem, sameValue } from './same-value.ts';

/** Who wrote: an application, the worker under test, its sweep, or DynamoDB itself, which deletes what has expired. */
export type Writer = 'application' | 'worker' | 'sweep' | 'service';

/** A change that took effect. What an unchanged write would be is none: DynamoDB writes no record of it. */
export interface Committed {
  readonly sequence: bigint;
  readonly key: ItemKey;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  readonly by: Writer;
  /** In epoch milliseconds. */
  readonly at: number;
}

/** What must hold for an application's write: that the item is there, or not, or that its attributes are these. */
export type Condition = 'exists' | 'absent' | Expectation;

/** A DynamoDB table in memory: whatever is done takes effect at once, in the order of the calls. */
export class ModelTable {
  readonly names: TableNames;
  readonly indexes: ModelIndexes;
  /** Oldest first. */
  readonly history: Committed[] = [];
  watcher: ((change: Committed) => void) | undefined;
  private readonly now: () => number;
  private readonly partitions = new Map<string, Map<string, KeyedItem>>();
  private readonly changes = new Map<string, Committed[]>();
  private sequence = 100_000_000_000_000_000_000n;

  /** @param now the time in epoch milliseconds; stands still by default */
  constructor(names: TableNames, now: () => number = () => 0) {
    this.names = names;
    this.now = now;
    this.indexes = new ModelIndexes(names, now);
  }

  /** Strongly consistent. */
  read(key: ItemKey): Item | undefined {
    return this.keyedAt(key)?.item;
  }

  keyedAt({ pk, sk }: ItemKey): KeyedItem | undefined {
    return this.partitions.get(pk)?.get(sk);
  }

  /** The item as an eventually consistent read may show it: without a change of the last second. */
  readLate(key: ItemKey): Item | undefined {
    const last = this.changesOf(key).at(-1);
    return last !== undefined && this.now() - last.at < 1000 ? last.before : this.read(key);
  }

  /** Oldest first. */
  changesOf(key: ItemKey): readonly Committed[] {
    return this.changes.get(keyText(key)) ?? [];
  }

  /** All that the item ever was, oldest first. */
  versionsOf(key: ItemKey): Item[] {
    return versionsIn(this.changesOf(key));
  }

  items(): Item[] {
    return [...this.partitions.values()].flatMap((partition) =>
      [...partition.values()].map(({ item }) => item),
    );
  }

  /** Those that items ever had, in the order of their first. */
  partitionKeys(): string[] {
    return [...this.partitions.keys()];
  }

  /** In the order of their sort keys. */
  partition(pk: string): KeyedItem[] {
    const [ofSk] = keyParts(this.names).sk;
    return [...(this.partitions.get(pk)?.values() ?? [])].sort((a, b) =>
      ofSk === undefined ? 0 : compareParts(ofSk, a.key.sk, b.key.sk),
    );
  }

  /** Strongly consistent in a partition, as far as it has come on an index: keys only unless `whole`. */
  query(location: QueriedLocation, limit: number, from?: Cursor, whole = false): Page<KeyedItem> {
    if (location.in === 'index') return this.indexes.query(location, limit, from, whole);
    const items = this.partitions.get(String(location.pk))?.values() ?? [];
    return pageOf(this.names, this.names, items, location, limit, from);
  }

  /** @returns false where the condition was lost */
  put(item: Item, on?: Condition): boolean {
    const key = this.keyOf(item);
    // What could never stand is refused whatever stands there: DynamoDB looks at the request first.
    refuseImpossible(this.names, key, item);
    if (!holds(this.read(key), on)) return false;
    this.commit(key, item, 'application');
    return true;
  }

  /**
   * Sets and removes attributes; makes the item where there is none.
   * @returns false where the condition was lost
   */
  update(
    key: ItemKey,
    change: { readonly set?: Readonly<Record<string, AttributeValue>>; readonly remove?: readonly string[] },
    on?: Condition,
  ): boolean {
    if (!holds(this.read(key), on)) return false;
    this.commit(key, this.changed(key, change.set ?? {}, change.remove ?? []), 'application');
    return true;
  }

  /** @returns false where the condition was lost */
  delete(key: ItemKey, on?: Condition): boolean {
    if (!holds(this.read(key), on)) return false;
    this.commit(key, undefined, 'application');
    return true;
  }

  /** Items whose time has passed. */
  due(): Item[] {
    const seconds = Math.floor(this.now() / 1000);
    const isDue = (expiry: AttributeValue | undefined) =>
      expiry && 'N' in expiry && Number(expiry.N) <= seconds;
    return this.items().filter((item) => isDue(item[this.names.ttl]));
  }

  expire(key: ItemKey): void {
    this.commit(key, undefined, 'service');
  }

  guardedUpdate({ key, set, remove, expect }: GuardedUpdate, by: Writer = 'worker'): WriteOutcome {
    const item = this.read(key);
    if (item === undefined || !holds(item, expect)) return 'lost';
    return isRefused(() => this.commit(key, this.changed(key, set, remove), by)) ? 'refused' : 'written';
  }

  /** All of the actions or none, and none where the root's condition is not met. */
  guardedTransaction(root: RootCondition, actions: readonly GuardedAction[]): readonly WriteOutcome[] {
    if (root.expect !== 'none' && actions.some(({ key }) => keyText(key) === keyText(root.key)))
      throw new ModelRefusal(`Expected each item once in a transaction, got ${keyText(root.key)} twice`);
    if (!this.meets(root)) return actions.map(() => 'root');
    const refusals = actions.map((action) => this.refusalOf(action));
    if (refusals.some((refusal) => refusal !== undefined))
      return refusals.map((refusal) => refusal ?? 'unavailable');
    const head = root.expect === 'head' ? this.headAfter(root, actions) : undefined;
    if (head !== undefined && isRefused(() => refuseImpossible(this.names, root.key, head)))
      return actions.map(() => 'refused');
    for (const action of actions)
      this.commit(action.key, isCreation(action) ? action.item : this.remainder(action), 'worker');
    if (head !== undefined) this.commit(root.key, head, 'worker');
    return actions.map(() => 'written');
  }

  private headAfter({ key, put = {} }: RootCondition, actions: readonly GuardedAction[]): Item {
    return headAfter(this.read(key), this.changed(key, put, []), actions);
  }

  private refusalOf(action: GuardedAction): 'lost' | 'refused' | undefined {
    const there = this.read(action.key);
    if (!isCreation(action)) return there !== undefined && holds(there, action.expect) ? undefined : 'lost';
    if (there !== undefined) return 'lost';
    return isRefused(() => refuseImpossible(this.names, action.key, action.item)) ? 'refused' : undefined;
  }

  private remainder(action: GuardedRemoval): Item | undefined {
    const before = this.read(action.key);
    return before && remainderOf(before, action);
  }

  private meets({ key, expect }: RootCondition): boolean {
    if (expect === 'none' || expect === 'head') return true;
    const there = this.read(key);
    return expect === 'absent' ? there === undefined : there !== undefined && holds(there, expect);
  }

  private changed(
    key: ItemKey,
    set: Readonly<Record<string, AttributeValue>>,
    remove: readonly string[],
  ): Item {
    if ([...Object.keys(set), ...remove].some((name) => isKeyName(this.names, name)))
      throw new ModelRefusal(`Expected an update that leaves the key alone, got one of ${keyText(key)}`);
    const gone = new Set(remove);
    const kept = Object.entries(this.read(key) ?? keyAttributes(this.names, key));
    return { ...Object.fromEntries(kept.filter(([name]) => !gone.has(name))), ...set };
  }

  private keyOf(item: Item): ItemKey {
    const key = keyOf(this.names, item);
    if (key === undefined) throw new ModelRefusal(`Expected an item with ${keyWords(this.names)}`);
    return key;
  }

  private commit(key: ItemKey, after: Item | undefined, by: Writer): void {
    const before = this.read(key);
    if (after !== undefined) refuseImpossible(this.names, key, after);
    if (sameItem(before, after)) return;
    const partition = this.partitions.get(key.pk) ?? new Map<string, KeyedItem>();
    this.partitions.set(key.pk, partition);
    if (after === undefined) partition.delete(key.sk);
    else partition.set(key.sk, { key, item: after });
    this.indexes.follow(key, after);
    this.sequence += 1n;
    const change = { sequence: this.sequence, key, before, after, by, at: this.now() };
    this.history.push(change);
    const text = keyText(key);
    this.changes.set(text, [...this.changesOf(key), change]);
    this.watcher?.(change);
  }
}

/** What these changes made of items. */
export function versionsIn(changes: readonly Pick<Committed, 'after'>[]): Item[] {
  return changes.map(({ after }) => after).filter((after) => after !== undefined);
}

function holds(item: Item | undefined, condition: Condition | undefined): boolean {
  if (condition === undefined) return true;
  if (condition === 'exists') return item !== undefined;
  if (condition === 'absent') return item === undefined;
  return Object.entries(condition).every(([name, value]) =>
    sameValue(item && Object.hasOwn(item, name) ? item[name] : undefined, value),
  );
}

/** The record of a change, as Lambda delivers it: its time in whole seconds, an expiry by the service's identity. */
export function lambdaChange(names: TableNames, { sequence, key, before, after, by, at }: Committed): object {
  return {
    eventID: String(sequence),
    eventName: after === undefined ? 'REMOVE' : before === undefined ? 'INSERT' : 'MODIFY',
    ...(by === 'service' &&
      after === undefined && {
        userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
      }),
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      Keys: keyAttributes(names, key),
      ...(before && { OldImage: itemToJson(before) }),
      ...(after && { NewImage: itemToJson(after) }),
      SequenceNumber: String(sequence),
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    },
  };
}
