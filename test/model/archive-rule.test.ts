import { describe, expect, test } from 'vitest';
import { aging, defineArchive } from '../../src/model/archive-rule.ts';
import { predicate } from '../../src/model/predicate.ts';
import { makeRegistry } from '../../src/model/registry.ts';
import { leg, ticket } from '../fixtures/cruises/cruise-kinds.ts';
import { ByState, table } from '../fixtures/model/table.ts';
import { refusal } from '../suites/refusal.ts';

const found = { in: 'index', index: ByState, pks: ['x'], until: () => 'x' };
const right = { reads: ['Status'], when: () => true, since: () => 0, days: 1, found };

/** As files whose types nobody checked. */
const ages = (change: object) => aging(ticket, { ...right, ...change } as never);
const archive = (change: object) =>
  defineArchive({ name: 'archive-tickets', kinds: [ticket], ...change } as never);

describe('an archive rule whose types nobody checked', () => {
  test.each<[string, () => unknown, string, string]>([
    [
      'reads an attribute that no schema lists',
      () => ages({ reads: ['Sate'] }),
      'rule.unknown-attribute',
      "reads of aging of Ticket to name attributes that the schema of Ticket lists, got 'Sate'",
    ],
    [
      'misspells a field of aging',
      () => ages({ whne: () => true }),
      'rule.unknown-field',
      "a field of aging of Ticket, got 'whne': did you mean 'when'?",
    ],
    [
      'has no since',
      () => ages({ since: undefined }),
      'rule.invalid-field',
      'since of aging of Ticket to be a function, got none: add it',
    ],
    [
      'has an index without partitions',
      () => ages({ found: { ...found, pks: undefined } }),
      'rule.invalid-field',
      'pks of found of aging of Ticket to be a list of text, got none: add it',
    ],
    [
      'finds items in another way',
      () => ages({ found: { in: 'query' } }),
      'rule.invalid-field',
      "in of found of aging of Ticket to be 'scan' or 'index', got 'query': correct it",
    ],
    [
      'has a companion without at',
      () => ages({ with: [{ kind: leg }] }),
      'rule.invalid-field',
      'at of with of aging of Ticket to be a function, got none: add it',
    ],
    [
      'ages a kind that is undefined',
      () => aging(undefined as never, right as never),
      'rule.invalid-field',
      'kind of aging of a kind to be what defineKind returns, got none: check its import',
    ],
    [
      'misspells a field',
      () => archive({ storageClas: 'GLACIER' }),
      'rule.unknown-field',
      "a field of rule archive-tickets, got 'storageClas': did you mean 'storageClass'?",
    ],
    [
      'has another storage class',
      () => archive({ storageClass: 'COLD' }),
      'rule.invalid-field',
      "storageClass of rule archive-tickets to be 'STANDARD', ",
    ],
    [
      'has a kind that is undefined',
      () => archive({ kinds: [undefined] }),
      'rule.invalid-field',
      'kinds of rule archive-tickets to be a list of kinds, got an array: check its import',
    ],
    [
      'names its ages itself',
      () => archive({ ages: right }),
      'rule.invalid-field',
      'ages of rule archive-tickets to be what aging returns, got an object: correct it',
    ],
  ])('is refused if it %s', (_, define, code, message) => {
    const error = refusal(define);

    expect(error.code).toBe(code);
    expect(error.message.startsWith(`Expected ${message}`), error.message).toBe(true);
  });

  test('is refused if it finds aged items in an index that the table does not have', () => {
    const rule = archive({
      ages: ages({ found: { ...found, index: { name: 'ByMoon', pk: 'a', sk: 'b' } } }),
    });

    expect(refusal(() => makeRegistry(table, [], [rule]))).toMatchObject({
      code: 'rule.no-index',
      message:
        "Rule archive-tickets finds aged items in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState",
    });
  });
});

describe('archive rules that do not fit together', () => {
  const other = (change: object) => archive({ name: 'archive-others', ...change });

  test.each<[string, () => readonly unknown[], string]>([
    ['one kind is archived twice', () => [archive({}), other({})], 'rule.archived-twice'],
    [
      'a predicate is of a kind that is not archived',
      () => [archive({ when: [predicate(leg, { reads: [], item: () => true })] })],
      'rule.when-unarchived',
    ],
    [
      'single items are to be erased from shared objects',
      () => [archive({ layout: 'batch', onDelete: 'erase' })],
      'rule.cannot-erase',
    ],
    [
      'a kind that ages is not archived',
      () => [archive({ kinds: [leg], ages: ages({}) })],
      'rule.ages-unarchived',
    ],
    [
      'a companion is not archived',
      () => [archive({ ages: ages({ with: [{ kind: leg, at: () => ({ in: 'partition', pk: 'x' }) }] }) })],
      'rule.ages-unarchived',
    ],
    ['items age for no days', () => [archive({ ages: ages({ days: 0 }) })], 'rule.ageless'],
  ])('are refused if %s', (_, rules, code) => {
    expect(() => makeRegistry(table, [], rules() as never)).toThrow(expect.objectContaining({ code }));
  });
});
