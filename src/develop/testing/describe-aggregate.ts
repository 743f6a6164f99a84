import { fail } from 'node:assert/strict';
import type { Aggregate } from '../../model/aggregate.ts';
import type { Config } from '../../model/config.ts';
import { DenormError } from '../../model/errors.ts';
import { type Item, keyIn } from '../../model/item.ts';
import { makeRegistry, type Registry } from '../../model/registry.ts';
import { propagateBatch } from '../../worker/propagation/propagate-batch.ts';
import { expectItems, expectNoDeadLetters, named, workerOver, workerWith } from './conformance.ts';
import { differences } from './differences.ts';
import { itemOf, type PlainAttributes } from './plain-values.ts';
import type { ModelWorker } from './table-model/model-worker.ts';
import { runner, type TestRunner } from './test-runner.ts';

/** Items on which the conformance suite tries an aggregate. */
export interface AggregateExample {
  /** A target without what is computed. */
  readonly target: PlainAttributes;
  /** Items that all are members of this target, at least one. */
  readonly members: readonly PlainAttributes[];
  /** What the target then has. */
  readonly expected: PlainAttributes;
  /** Attributes of the first member that change, in a way that changes a total. Default: it is removed, which must change one. */
  readonly change?: PlainAttributes;
  /** Items in the locations that do not count. Default: none. */
  readonly others?: readonly PlainAttributes[];
}

/**
 * Describes what every aggregate does, for one of a project: a conformance suite on a model of the table, with the worker's
 * own code. Runs under the same runners as `describeRule`.
 * @throws DenormError `rule.unknown` if the config has no such aggregate
 */
export function describeAggregate(
  config: Config,
  name: string,
  given: AggregateExample,
  { describe, test }: TestRunner = runner,
): void {
  const all = config.registry({ disabled: [] });
  const aggregate = named('an aggregate', all.aggregates, name);
  const example = exampleOf(makeRegistry(all.table, [], [], [], [aggregate]), aggregate, given);
  describe(`${name}, as every aggregate,`, () => {
    for (const [title, body] of promises) test(title, () => body(example));
  });
}

interface Example {
  readonly registry: Registry;
  readonly target: Item;
  readonly members: readonly Item[];
  readonly others: readonly Item[];
  /** The target with its totals. */
  readonly right: Item;
  /** The first member after its change; undefined if it is removed. */
  readonly changed: Item | undefined;
  readonly computed: string;
}

function exampleOf(registry: Registry, { computes }: Aggregate, given: AggregateExample): Example {
  const { target, members, others = [], expected = {}, change } = given;
  const [first] = members;
  const names = Object.keys(computes);
  const [computed] = names;
  if (first === undefined || computed === undefined)
    throw new DenormError('example.empty', 'Expected at least one member in the example, got none: add one');
  if (!names.some((name) => Object.hasOwn(expected, name)))
    throw new DenormError(
      'example.expected',
      `Expected in expected what the members of the example add up to (${names.join(', ')}), found none of it: add it`,
    );
  return {
    registry,
    computed,
    target: itemOf(target),
    members: members.map((member) => itemOf(member)),
    others: others.map((other) => itemOf(other)),
    right: itemOf({ ...target, ...expected }),
    changed: change && itemOf({ ...first, ...change }),
  };
}

/** At the right totals; a ledger is there once its members were posted. */
async function workerAtRest({
  registry,
  target,
  members,
  others,
  right,
}: Pick<Example, 'registry' | 'target' | 'members' | 'others' | 'right'>): Promise<ModelWorker> {
  if (registry.aggregates.every(({ ledger }) => ledger === undefined))
    return workerOver(registry, [right, ...members, ...others]);
  const worker = workerWith(registry, [target, ...members, ...others]);
  await worker.rest();
  return worker;
}

const promises: readonly (readonly [title: string, body: (example: Example) => Promise<void>])[] = [
  [
    'adds up the members of a target, and touches nothing else',
    async ({ registry, target, members, others, right }) => {
      const worker = workerWith(registry, [target, ...members, ...others]);
      await worker.rest();
      expectItems(worker, [right, ...members, ...others]);
      expectNoDeadLetters(worker);
    },
  ],
  [
    'is the same however often and in whatever order records are delivered',
    async ({ registry, target, members, others, right }) => {
      const worker = workerWith(registry, [target, ...members, ...others]);
      const records = worker.stream.take();
      for (const record of [...records.toReversed(), ...records])
        await propagateBatch(worker.context, [record]);
      await worker.rest();
      expectItems(worker, [right, ...members, ...others]);
    },
  ],
  [
    'follows a member that changes, goes and comes again',
    async ({ registry, target, members, others, right, changed: changedMember }) => {
      const worker = await workerAtRest({ registry, target, members, others, right });
      const [first] = members;
      if (first === undefined) return;
      const { table } = registry;
      if (changedMember === undefined) worker.table.delete(keyIn(table, first));
      else worker.table.put(changedMember);
      await worker.rest();
      const changed = worker.table.read(keyIn(table, target));
      if (changed !== undefined && differences(table, right, changed).length === 0)
        fail(
          changedMember === undefined
            ? 'Expected other totals without the first member, found the same: put a member first that counts, or add change'
            : 'Expected other totals after the change, found the same: correct change, or reads.member',
        );
      worker.table.delete(keyIn(table, first));
      await worker.rest();
      worker.table.put(first);
      await worker.rest();
      expectItems(worker, [right, ...members, ...others]);
    },
  ],
  [
    'corrects totals that somebody else wrote',
    async ({ registry, target, members, right, computed }) => {
      const worker = await workerAtRest({ registry, target, members, others: [], right });
      worker.table.put({ ...right, [computed]: { S: 'written by hand' } });
      await worker.rest();
      expectItems(worker, [right, ...members]);
    },
  ],
  [
    'writes nothing when its own writes come back, or a batch comes again',
    async ({ registry, target, members }) => {
      const worker = workerWith(registry, [target, ...members]);
      const batch = worker.stream.take();
      await propagateBatch(worker.context, batch);
      await worker.rest();
      const written = worker.port.counts.itemsWritten;
      await propagateBatch(worker.context, [...batch, ...batch]);
      await worker.rest();
      if (worker.port.counts.itemsWritten > written)
        fail('Expected no write when a batch comes again, found one: its functions are not pure');
    },
  ],
  [
    'makes no target that is not there',
    async ({ registry, members }) => {
      const worker = workerWith(registry, members);
      await worker.rest();
      expectItems(worker, members);
    },
  ],
];
