import { fail } from 'node:assert/strict';
import { type Item, keyIn, keyText } from '../model/items/item.ts';
import { isKeyName } from '../model/items/table-names.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { BoundRule } from '../model/rules/bound-rule.ts';
import type { Config } from '../model/rules/config.ts';
import { declaresKeys } from '../model/rules/index-keys.ts';
import { registryOfOne } from '../model/rules/registry.ts';
import type { RemovalPolicy } from '../model/rules/rule.ts';
import { owns, withoutOwned } from '../model/rules/rule-attributes.ts';
import {
  expectItems,
  expectNoDeadLetters,
  named,
  runner,
  type TestRunner,
  workerOver,
} from './conformance.ts';
import { itemOf } from './plain-values.ts';
import { faultsOf } from './purity.ts';
import { type Example, type RuleExample, readExample, updated } from './rule-example.ts';

/**
 * Describes one rule of a project by an example: a suite of about seven tests, on a model of the table, with the worker's own
 * code. What holds for every rule, whatever is delivered late or twice, is for `denorm simulate`. Runs under vitest and node:test, and any runner whose `describe` and `test` are global.
 * @throws DenormError `rule.unknown` if the config has no such rule
 */
export function describeRule(
  config: Config,
  name: string,
  given: RuleExample,
  { describe, test }: TestRunner = runner,
): void {
  const { parameters = {} } = given;
  const rule = named('a rule', config.registry({ parameters, disabled: [] }).rules, name);
  const registry = registryOfOne(rule);
  describe(`${name}, as every rule,`, () => {
    test('has pure functions: the same items give the same result', async () => expectPure(rule, given));
    let example: Example;
    try {
      example = readExample(registry, rule, given);
      test('has an example that fits it', async () => {});
    } catch (misfit) {
      // The other tests would only repeat what is wrong with it.
      test('has an example that fits it', () => Promise.reject(misfit));
      return;
    }
    const { invalid, excluded } = example;
    const without = [invalid ?? invalidRoot, excluded ?? excludedRoot];
    for (const [title, body] of promises) if (!without.includes(title)) test(title, () => body(example));
  });
}

/** Calls the functions for the example's items, whether or not they fit. */
function expectPure(rule: BoundRule, given: RuleExample): void {
  const changes = [{}, given.change, given.excluded ?? {}];
  const roots = changes.map((change) => itemOf({ ...given.root, ...change }));
  const pairs = roots
    .filter((root) => isOfKind(rule.root, root))
    .flatMap((root) => {
      const copies = rule.located.in === 'itself' ? [root] : (given.copies ?? []).map(itemOf);
      return copies.filter((copy) => isOfKind(rule.copy, copy)).map((copy) => ({ root, copy }));
    });
  const faults = faultsOf(rule, pairs);
  if (faults.length > 0) fail(faults.join('\n'));
}

const invalidRoot = 'dead-letters a root that it cannot project, and writes nothing';
const excludedRoot = 'follows onDelete while when is false for the root, and updates copies again afterwards';

const promises: readonly (readonly [title: string, body: (example: Example) => Promise<void>])[] = [
  [
    'updates copies when their root changes, and touches nothing else',
    async ({ registry, root, copies, changed, followed, others }) => {
      const worker = workerOver(registry, [root, ...copies, ...others]);
      worker.table.put(changed);
      await worker.rest();
      expectItems(worker, [...withRoot(copies, changed), ...followed, ...others]);
      expectNoDeadLetters(worker);
    },
  ],
  [
    'requests nothing when a change does not concern it',
    async ({ registry, root, copies, others, unconcerned }) => {
      const worker = workerOver(registry, [root, ...copies, ...others]);
      worker.table.put(unconcerned);
      await worker.rest();
      const requests = worker.port.counts.requests();
      if (requests > 0)
        fail(
          `Expected no request after a change that does not concern the rule, found ${requests}: correct unconcerned, or reads`,
        );
    },
  ],
  ['follows onDelete when the root is deleted', (example) => removal(example, 'delete', example.onDelete)],
  ['follows onExpire when the root expires', (example) => removal(example, 'expire', example.onExpire)],
  [
    excludedRoot,
    async (example) => {
      const { registry, rule, root, copies, changed, others, excluded = root } = example;
      const worker = workerOver(registry, [root, ...copies, ...others]);
      worker.table.put(excluded);
      await worker.rest();
      const itself = copies.length === 0;
      const left = leftOf(example, itself ? [excluded] : copies);
      expectItems(worker, [...withRoot(copies, excluded), ...left, ...others]);
      expectNoDeadLetters(worker);
      worker.table.put(changed);
      await worker.rest();
      const again = itself ? example.followed : left.map((copy) => updated(rule, changed, copy));
      const made = left.length === 0 ? madeCopies(example) : [];
      expectItems(worker, [...withRoot(copies, changed), ...again, ...made, ...others]);
    },
  ],
  [
    invalidRoot,
    async ({ registry, rule, root, copies, invalid }) => {
      const worker = workerOver(registry, [root, ...copies]);
      worker.table.put(invalid ?? root);
      await worker.rest();
      const [message] = worker.queue.deadLettered.map((one) => one.message);
      if (message?.rule !== rule.name || keyText(message.root) !== keyText(keyIn(registry.table, root)))
        fail('Expected the invalid root in the dead letters, found none: correct invalid, or the schema');
      const { itemsWritten, itemsRemoved } = worker.port.counts;
      // Index keys that a kind declares are removed if they can no longer be made.
      const allowed = declaresKeys(rule) ? 1 : 0;
      if (itemsWritten + itemsRemoved > allowed)
        fail(`Expected no write, found ${itemsWritten + itemsRemoved}`);
    },
  ],
];

async function removal(example: Example, how: 'delete' | 'expire', policy: RemovalPolicy): Promise<void> {
  const { registry, root, copies, others } = example;
  const worker = workerOver(registry, [root, ...copies, ...others]);
  worker.table[how](keyIn(registry.table, root));
  await worker.rest();
  expectItems(worker, [...leftOf(example, copies, policy), ...others]);
}

function leftOf(
  { rule, onDelete }: Example,
  copies: readonly Item[],
  policy: RemovalPolicy = onDelete,
): readonly Item[] {
  switch (policy) {
    case 'delete':
      return [];
    case 'clear':
      return copies.map((copy) => withoutOwned(rule, copy));
    case 'keep':
      return copies;
  }
}

/** The copies after the change, as a rule makes them: without what applications put on them. None if it creates none. */
function madeCopies({ registry: { table }, rule, followed }: Example): readonly Item[] {
  if (!rule.creates) return [];
  const isOwn = (name: string) => isKeyName(table, name) || name === table.type;
  return followed.map((copy) =>
    Object.fromEntries(Object.entries(copy).filter(([name]) => isOwn(name) || owns(rule, name))),
  );
}

/** The root is an item beside its copies, unless it is its own. */
function withRoot(copies: readonly Item[], root: Item): readonly Item[] {
  return copies.length === 0 ? [] : [root];
}
