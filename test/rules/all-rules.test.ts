import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';

const rules = fileURLToPath(new URL('../../src/rules', import.meta.url));
const tests = fileURLToPath(new URL('.', import.meta.url));

const suites = readdirSync(tests)
  .map((file) => readFileSync(`${tests}${file}`, 'utf8'))
  .join('\n');

/** Every file is a rule, except the files of item kinds, of which some declare index keys. */
const [kindFiles = [], otherFiles = []] = [true, false].map((isOfKinds) =>
  readdirSync(rules).filter(
    (file) => readFileSync(`${rules}/${file}`, 'utf8').includes('defineKind(') === isOfKinds,
  ),
);
const ruleFiles = otherFiles.map((file) => file.replace(/\.ts$/, ''));
const ruleOfKeys = /^\s+keys: \{/m;

describe('denorm.config.ts', () => {
  test('lists every rule that has a file, and no other', () => {
    const { rules: listed, aggregates, archives } = config.registry();

    const names = [...listed, ...aggregates, ...archives].map(({ name }) => name);
    const declaring = kindFiles.filter((file) => ruleOfKeys.test(readFileSync(`${rules}/${file}`, 'utf8')));

    expect(names.filter((name) => ruleFiles.includes(name)).toSorted()).toEqual(ruleFiles.toSorted());
    expect(names.filter((name) => !ruleFiles.includes(name))).toEqual(['head-to-head-keys']);
    expect(declaring).toEqual(['vote-items.ts']);
  });

  test.each(ruleFiles)('has a test of %s, which includes the conformance suite', (rule) => {
    expect(suites).toMatch(new RegExp(`describe(Rule|Aggregate|Archive)\\(config, '${rule}'`));
  });

  test('loads with any number of shards, and leaves out disabled rules', () => {
    const { rules: listed, archives } = config.registry({
      parameters: { StatusShards: 100 },
      disabled: ['order-status-keys', 'archive-orders'],
    });

    expect(listed.map(({ name }) => name)).not.toContain('order-status-keys');
    expect(archives.map(({ name }) => name)).not.toContain('archive-orders');
  });
});
