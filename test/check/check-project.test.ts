import { describe, expect, test } from 'vitest';
import config from '../../denorm.config.ts';
import { checkProject } from '../../src/check/check-project.ts';
import { defineConfig } from '../../src/model/rules/config.ts';
import { bare } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';

describe('a project', () => {
  test('that is right has no findings', () => {
    expect(checkProject(config)).toEqual([]);
  });

  test('whose rules are refused says why', () => {
    const refused = defineConfig({ table, rules: [bare({ name: 'a', copies: ['Part'] })] });

    expect(checkProject(refused)).toEqual([
      {
        about: 'rules',
        subject: 'a',
        message: "rule.writes-key: Rule a writes 'Part', a key of the table: remove it from copies or derive",
      },
    ]);
  });

  test('without rules is not right', () => {
    expect(checkProject(defineConfig({ table, rules: [] }))).toEqual([
      {
        about: 'rules',
        subject: 'denorm.config.ts',
        message: 'Expected a rule, an aggregate or an archive rule to check, found none: add one',
      },
    ]);
  });

  test('is checked with rules that are switched off', () => {
    expect(checkProject(config, { disabled: ['username-on-memberships'] })).toEqual([]);
  });
});
