import { expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { explanationText } from '../../../src/cli/explain/text.ts';
import { explainEvent, explainItem, isRefused } from '../../../src/explain/explain.ts';
import { FatalError, TransientError } from '../../../src/model/basics/errors.ts';
import { keyIn } from '../../../src/model/items/item.ts';
import { makeRegistry, type Registry } from '../../../src/model/rules/registry.ts';
import { table } from '../../../src/table.ts';
import { itemOf } from '../../../src/testing/plain-values.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { membership, user } from '../items.ts';

const root = itemOf(user);

function options(copy: Readonly<Record<string, string>> = membership, registry = config.registry()) {
  return { registry, table: portOf(table, [root, itemOf(copy)]), settings: defaultSettings };
}

function explained(copy: Readonly<Record<string, string>>, registry?: Registry) {
  return explainItem(options(copy, registry), keyIn(table, itemOf(copy)));
}

test('an item whose type contradicts its key is of no kind, and both are named', async () => {
  const explanation = await explained({ ...membership, Type: 'member' });
  const problem = "the key is a Membership's, its Type is 'member' and not 'Membership'";

  expect(explanationText(table, explanation)).toContain(`of no kind: ${problem}`);
  expect(explanation.subjects).toMatchObject([{ kinds: [], problem }]);
  expect(isRefused(explanation)).toBe(false);
});

test('a copy on which rootOf fails names rule and function, and would be dead-lettered', async () => {
  const failing = config
    .registry()
    .rules.filter(({ name }) => name === 'username-on-memberships')
    .map((rule) => ({ ...rule, rootOf: () => ['1'] as never }));
  const explanation = await explained(membership, makeRegistry(table, failing));

  expect(explanationText(table, explanation)).toContain(
    'copy, no match: a function of the rule fails on it; dead-lettered (rule.returned: Expected rootOf of rule username-on-memberships to return { pk, sk }, all text, or undefined, got an array: correct the function)',
  );
  expect(isRefused(explanation)).toBe(true);
});

test('a message of an unknown rule would be dead-lettered', async () => {
  const message = { rule: 'none', root: keyIn(table, root), cause: 'changed', attempts: 0 } as const;
  const { rounds } = await explainEvent(options(), [{ message }]);

  expect(rounds[0]?.work.flatMap(({ deadLettered }) => deadLettered)).toEqual([
    expect.stringMatching(/^rule\.unknown: /),
  ]);
});

test.each([
  ['cannot be read now', new TransientError('aws.throttled', 'Too fast')],
  ['denies access', new FatalError('aws.denied', 'No')],
])('a table that %s is no answer: half a plan would mislead', async (_, error) => {
  const { registry, table: port, settings } = options();
  const failing = Object.assign(port, { query: () => Promise.reject(error) });

  await expect(explainItem({ registry, table: failing, settings }, keyIn(table, root))).rejects.toBe(error);
});
