import { describe, expect, test } from 'vitest';
import { isCopiable, namedOutputs, owns, watches } from '../../src/model/rule-attributes.ts';
import { bare, kind } from '../fixtures/model/rules.ts';
import { ByOwner, table } from '../fixtures/model/table.ts';

const anything = () => 'x';
const all = bare({ name: 'a', copies: 'all', own: ['Seat'], derive: { StateSort: anything } });
const named = bare({
  name: 'a',
  copies: ['Name'],
  derive: { Label: anything },
  reads: { root: ['Row'], copy: ['RootId'] },
  located: { in: 'index', index: ByOwner, at: () => ({ pk: 'p' }) },
});

describe('a rule that copies all attributes', () => {
  test.each(['Part', 'Sort', 'EndsAt', 'OwnerPart', 'OwnerSort', 'StatePart', 'StateSort', 'Seat'])(
    'does not copy %s',
    (attribute) => {
      expect(isCopiable(table, all, attribute)).toBe(false);
    },
  );

  test.each(['Name', 'Anything at all', 'PK', 'GSI1PK', 'ExpiresAt'])('copies %s', (attribute) => {
    expect(isCopiable(table, all, attribute)).toBe(true);
    expect(owns(table, all, attribute)).toBe(true);
  });

  test('copies the type attribute unless it distinguishes kinds', () => {
    const typed = { ...kind('Root'), type: 'Root' };

    expect(isCopiable(table, all, 'Kind')).toBe(true);
    expect(isCopiable(table, { ...all, root: typed }, 'Kind')).toBe(false);
    expect(isCopiable(table, { ...all, copy: typed }, 'Kind')).toBe(false);
  });

  test('owns what it derives, including index keys, and not the copy’s own attributes', () => {
    expect(owns(table, all, 'StateSort')).toBe(true);
    expect(owns(table, all, 'StatePart')).toBe(false);
    expect(owns(table, all, 'Seat')).toBe(false);
    expect(namedOutputs(all)).toEqual(['StateSort']);
  });
});

describe('a rule that lists the attributes that it copies', () => {
  test('owns them and what it derives', () => {
    expect(namedOutputs(named)).toEqual(['Name', 'Label']);
    expect(['Name', 'Label', 'RootId', 'Row', 'Other'].filter((name) => owns(table, named, name))).toEqual([
      'Name',
      'Label',
    ]);
  });

  test('watches them, what it reads of the copy, and what locates the copy', () => {
    const attributes = ['Name', 'Label', 'RootId', 'OwnerPart', 'OwnerSort', 'Row', 'StatePart', 'Other'];

    expect(attributes.filter((name) => watches(table, named, name))).toEqual([
      'Name',
      'Label',
      'RootId',
      'OwnerPart',
      'OwnerSort',
    ]);
  });
});
