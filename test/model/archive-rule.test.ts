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

test('an archive rule is refused if it finds aged items in an index that the table does not have', () => {
  const rule = archive({
    ages: ages({ found: { ...found, index: { name: 'ByMoon', pk: 'a', sk: 'b' } } }),
  });

  expect(refusal(() => makeRegistry(table, [], [rule]))).toMatchObject({
    code: 'rule.no-index',
    message:
      "Rule archive-tickets finds aged items in the index 'ByMoon', which the table does not have: use one of ByOwner, ByState",
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
