import { describe, expect, test } from 'vitest';
import { templatePath } from '../../src/local/desk.ts';
import { requireFilters } from '../../src/local/require-filters.ts';
import { readTemplate } from '../../src/local/template.ts';
import { loadRules } from '../../src/rules/index.ts';

const template = readTemplate(templatePath);
const registry = loadRules({ statusShards: 1, disabled: [] });

describe('the filters of the template', () => {
  test('are those of the rules', () => {
    expect(() => requireFilters(registry, template)).not.toThrow();
  });

  test.each([
    ['Propagate', { ...registry, rules: registry.rules.slice(1) }],
    ['Archive', { ...registry, archives: [] }],
  ])('of %s that are not are refused, with those to put there', (name, others) => {
    expect(() => requireFilters(others, template)).toThrow(
      expect.objectContaining({
        code: 'filter.outdated',
        message: expect.stringMatching(new RegExp(`^Expected the filters of ${name} in template.yaml`)),
      }),
    );
  });

  test('to put there are YAML of the template', () => {
    expect(() => requireFilters({ ...registry, rules: registry.rules.slice(1) }, template)).toThrow(
      /\n {2}- Pattern: '\{"dynamodb":\{"Keys":\{.*\}\}\}'$/,
    );
  });
});
