import { describe, expect, test } from 'vitest';
import { isCopiable } from '../../src/model/rule-attributes.ts';
import { bare, kind } from '../fixtures/model/rules.ts';
import { table } from '../fixtures/model/table.ts';

const anything = () => 'x';
const all = bare({ name: 'a', copies: 'all', own: ['Seat'], derive: { StateSort: anything } });

describe('a rule that copies all attributes', () => {
  test('copies the type attribute unless it distinguishes kinds', () => {
    const typed = { ...kind('Root'), type: 'Root' };

    expect(isCopiable(table, all, 'Kind')).toBe(true);
    expect(isCopiable(table, { ...all, root: typed }, 'Kind')).toBe(false);
    expect(isCopiable(table, { ...all, copy: typed }, 'Kind')).toBe(false);
  });
});
