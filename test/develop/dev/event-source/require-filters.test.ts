import { describe, expect, test } from 'vitest';
import { requireFilters } from '../../../../src/develop/dev/event-source/require-filters.ts';
import { readTemplate } from '../../../../src/develop/dev/template.ts';
import { loadRules } from '../../../fixtures/application/load-rules.ts';
import { templatePath } from '../../../fixtures/application/paths.ts';

const template = readTemplate(templatePath);
const registry = loadRules({ statusShards: 1, disabled: [] });

describe('the filters of the template', () => {
  test('match the rules', () => {
    expect(() => requireFilters(registry, template)).not.toThrow();
  });

  test.each([
    ['Propagate', { ...registry, rules: registry.rules.slice(1) }],
    ['Archive', { ...registry, archives: [] }],
  ])('of %s that do not match are refused, and the message says what to run', (name, others) => {
    expect(() => requireFilters(others, template)).toThrow(
      expect.objectContaining({
        code: 'filter.outdated',
        message: `Expected the filters of ${name} in template.yaml to be those that follow from the rules, got others: run \`npx denorm template\``,
      }),
    );
  });

  test('include those of Archive if rules archive items, and only then', () => {
    const without = { ...template, functions: { ...template.functions, Archive: undefined } };

    expect(() => requireFilters({ ...registry, archives: [] }, without)).not.toThrow();
    expect(() => requireFilters(registry, without)).toThrow(
      /^Expected template\.yaml to have the function Archive, because rules archive items, got none: run `npx denorm template`$/,
    );
  });
});
