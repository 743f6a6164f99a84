import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { terraformModule } from '../../src/deploy/terraform/module.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/existing-stacks.md', import.meta.url)), 'utf8');

test('the example for Terraform sets the variables that have no default', () => {
  const [, example = ''] = /```hcl\nmodule "denorm" \{\n([^}]*)\}/.exec(page) ?? [];
  const given = [...example.matchAll(/^ {2}(\w+) +=/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== 'source');
  const variables = Object.entries(terraformModule(config, {}, '1.2.3')['variable'] ?? {});
  const needed = variables.filter(([, one]) => !Object.hasOwn(one, 'default')).map(([name]) => name);

  expect(variables.map(([name]) => name)).toEqual(expect.arrayContaining(given));
  expect(given).toEqual(expect.arrayContaining(needed));
  expect(needed).toEqual(['StackName', 'ExistingTableName', 'ExistingTableStreamArn']);
});
