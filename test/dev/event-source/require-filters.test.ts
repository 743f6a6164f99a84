import { describe, expect, test } from 'vitest';
import { requireFilters } from '../../../src/dev/event-source/require-filters.ts';
import { readTemplate } from '../../../src/dev/template.ts';
import { loadRules } from '../../application/load-rules.ts';
import { templatePath } from '../../application/paths.ts';
import { bare, keyed } from '../../fixtures/model/rules.ts';

const template = readTemplate(templatePath);
const registry = loadRules({ statusShards: 1, disabled: [] });

/** Rules for this many kinds, each with a different partition key pattern. */
function rulesAbout(count: number) {
  const kinds = Array.from({ length: count }, (_, index) =>
    keyed(`K${index}`, `P${index}#{a}`, `S${index}#{b}`),
  );
  return kinds.map((kind, index) => bare({ name: `rule-${index}`, root: kind, copy: kind }));
}

describe('the filters of the template', () => {
  test('match the rules', () => {
    expect(() => requireFilters(registry, template)).not.toThrow();
  });

  test.each([
    ['Propagate', { ...registry, rules: registry.rules.slice(1) }],
    ['Archive', { ...registry, archives: [] }],
  ])('of %s that do not match are refused, and the message contains the right ones', (name, others) => {
    expect(() => requireFilters(others, template)).toThrow(
      expect.objectContaining({
        code: 'filter.outdated',
        message: expect.stringMatching(new RegExp(`^Expected the filters of ${name} in template.yaml`)),
      }),
    );
  });

  test('are described as broader than the rules if the rules need more than five', () => {
    const refusal = (count: number) => () =>
      requireFilters({ ...registry, rules: rulesAbout(count) }, template);

    expect(refusal(6)).toThrow(
      "The rules' items need 6 filters and a mapping takes 5: some of these are broader, and let records of other items pass.",
    );
    expect(refusal(5)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('broader') }));
  });

  test('in the message are YAML of the template', () => {
    expect(() => requireFilters({ ...registry, rules: registry.rules.slice(1) }, template)).toThrow(
      /\n {2}- Pattern: '\{"dynamodb":\{"Keys":\{.*\}\}\}'$/,
    );
  });
});
