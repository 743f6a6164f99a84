import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rule.ts';
import { classifyCopy, type Orphans, rootNamed } from '../../../src/worker/verify/classify-copy.ts';
import { aCrewing, aSailor } from '../../fixtures/cruises/cruise-items.ts';
import { cruises, nameOnCrew, nameOnCrewThat } from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = cruises();

describe('an orphan', () => {
  test.each<[RemovalPolicy, RemovalPolicy, Orphans, string]>([
    ['delete', 'delete', 'unexplained', 'drift'],
    ['keep', 'delete', 'unexplained', 'kept'],
    ['delete', 'keep', 'unexplained', 'kept'],
    ['keep', 'delete', 'all', 'drift'],
    ['keep', 'keep', 'all', 'kept'],
    ['clear', 'delete', 'unexplained', 'drift'],
  ])('under onDelete %s and onExpire %s, of %s orphans: %s', (onDelete, onExpire, orphans, is) => {
    expect(orphaned(nameOnCrewThat(onDelete, onExpire), aCrewing('s'), orphans)).toMatchObject(
      is === 'drift' ? { is, drift: { kind: 'orphan', attributes: [] } } : { is },
    );
  });

  test('is kept after it was cleared', () => {
    expect(orphaned(nameOnCrewThat('clear', 'delete'), aCrewing('s', { Name: undefined }))).toMatchObject({
      is: 'kept',
    });
  });

  function orphaned(rule: Rule, copy: Item, orphans?: Orphans) {
    return classifyCopy(
      { registry, rule, orphans: orphans ?? 'unexplained' },
      copy,
      keyIn(aSailor()),
      undefined,
    );
  }
});

describe('the root of a copy', () => {
  const unlinking: Rule = { ...nameOnCrew, onUnlink: 'delete' };

  test.each<[string, Rule, Item, object]>([
    ['the root that it names', nameOnCrew, aCrewing('s'), keyIn(aSailor())],
    ['the root that it names, whatever onUnlink says', unlinking, aCrewing('s'), keyIn(aSailor())],
    ['none if the rule says so', { ...nameOnCrew, rootOf: () => undefined }, aCrewing('s'), { is: 'right' }],
  ])('is %s', (_, rule, copy, expected) => {
    expect(rootNamed(table, rule, copy)).toEqual(expected);
  });

  test('is unknown if the copy lacks the attribute that names it', () => {
    const rooted = rootNamed(table, nameOnCrew, aCrewing('s', { SailorId: undefined }));

    expect(rooted).toMatchObject({ is: 'drift', drift: { kind: 'invalid', code: 'copy.invalid' } });
    expect('drift' in rooted && rooted.drift).not.toHaveProperty('root');
  });
});
