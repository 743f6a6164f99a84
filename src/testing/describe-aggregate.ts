import { fail } from 'node:assert/strict';
import { DenormError } from '../model/basics/errors.ts';
import { type Item, keyIn } from '../model/items/item.ts';
import type { BoundAggregate } from '../model/rules/bound-rule.ts';
import type { Config } from '../model/rules/config.ts';
import { type Registry, registryOfOne } from '../model/rules/registry.ts';
import {
  differences,
  expectItems,
  expectNoDeadLetters,
  named,
  runner,
  type TestRunner,
  workerWith,
} from './conformance.ts';
import { itemOf, type PlainAttributes } from './plain-values.ts';

/** Items on which the conformance suite tries an aggregate. */
export interface AggregateExample {
  /** A target without what is computed. One that the aggregate creates has its key and its type alone. */
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
  const aggregate = named('an aggregate', config.registry({ disabled: [] }).aggregates, name);
  const example = exampleOf(registryOfOne(aggregate), aggregate, given);
  describe(`${name}, as every aggregate,`, () => {
    for (const [title, body] of [...promises, ...(aggregate.creates ? [comesAndGoes] : [])])
      test(title, () => body(example));
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
}

function exampleOf(registry: Registry, { computes }: BoundAggregate, given: AggregateExample): Example {
  const { target, members, others = [], expected = {}, change } = given;
  const [first] = members;
  const names = Object.keys(computes);
  if (first === undefined)
    throw new DenormError('example.empty', 'Expected at least one member in the example, got none: add one');
  if (!names.some((name) => Object.hasOwn(expected, name)))
    throw new DenormError(
      'example.expected',
      `Expected in expected what the members of the example add up to (${names.join(', ')}), found none of it: add it`,
    );
  return {
    registry,
    target: itemOf(target),
    members: members.map((member) => itemOf(member)),
    others: others.map((other) => itemOf(other)),
    right: itemOf({ ...target, ...expected }),
    changed: change && itemOf({ ...first, ...change }),
  };
}

type Promised = readonly [title: string, body: (example: Example) => Promise<void>];

const comesAndGoes: Promised = [
  'creates a target with its members, and does with an empty one what onEmpty says',
  async ({ registry, members, others, right }) => {
    const { table, aggregates } = registry;
    const worker = workerWith(registry, [...members, ...others]);
    await worker.rest();
    expectItems(worker, [right, ...members, ...others]);
    for (const member of members) worker.table.delete(keyIn(table, member));
    await worker.rest();
    const target = worker.table.read(keyIn(table, right));
    const isKept = aggregates.some(({ onEmpty }) => onEmpty === 'keep');
    if ((target !== undefined) !== isKept)
      fail(`Expected ${isKept ? 'the' : 'no'} target without members, found ${isKept ? 'none' : 'one'}`);
    expectNoDeadLetters(worker);
  },
];

const promises: readonly Promised[] = [
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
    'follows a member that changes, goes and comes again',
    async ({ registry, target, members, others, right, changed: changedMember }) => {
      const [first] = members;
      if (first === undefined) return;
      const worker = workerWith(registry, [target, ...members, ...others]);
      await worker.rest();
      const { table } = registry;
      if (changedMember === undefined) worker.table.delete(keyIn(table, first));
      else worker.table.put(changedMember);
      await worker.rest();
      const changed = worker.table.read(keyIn(table, target));
      if (changed !== undefined && differences(table, right, changed).length === 0)
        fail(
          changedMember === undefined
            ? 'Expected other totals without the first member, found the same: put a member first that counts, or add change'
            : 'Expected other totals after the change, found the same: correct change, which is made to the first member, or reads.member',
        );
      worker.table.delete(keyIn(table, first));
      await worker.rest();
      worker.table.put(first);
      await worker.rest();
      expectItems(worker, [right, ...members, ...others]);
    },
  ],
];
