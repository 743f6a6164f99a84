import { expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { explainItem, isRefused } from '../../../src/cli/explain/explain.ts';
import { explanationText } from '../../../src/cli/explain/text.ts';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import { keyIn } from '../../../src/model/item.ts';
import { makeRegistry, type Registry } from '../../../src/model/registry.ts';
import { table } from '../../../src/table.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { portOf } from '../../fixtures/model/port-of.ts';
import { membership, user } from '../items.ts';

function explained(copy: Readonly<Record<string, string>>, registry: Registry = config.registry()) {
  const [root, item] = [itemOf(user), itemOf(copy)];
  const options = { registry, table: portOf(table, [root, item]), settings: defaultSettings };
  return explainItem(options, keyIn(table, item));
}

test('an item whose type contradicts its key is of no kind, and both are named', async () => {
  const explanation = await explained({ ...membership, Type: 'member' });
  const problem = "the key is a Membership's, its Type is 'member' and not 'Membership'";

  expect(explanationText(explanation)).toContain(`of no kind: ${problem}`);
  expect(explanation.subjects).toMatchObject([{ kinds: [], problem }]);
  expect(isRefused(explanation)).toBe(false);
});

test('a copy on which rootOf fails names rule and function, and would be dead-lettered', async () => {
  const failing = config
    .registry()
    .rules.filter(({ name }) => name === 'username-on-memberships')
    .map((rule) => ({ ...rule, rootOf: () => ['1'] as never }));
  const explanation = await explained(membership, makeRegistry(table, failing));

  expect(explanationText(explanation)).toContain(
    'copy, no match: a function of the rule fails on it; dead-lettered (rule.returned: Expected rootOf of rule username-on-memberships to return { pk, sk }, all text, or undefined, got an array: correct the function)',
  );
  expect(isRefused(explanation)).toBe(true);
});
