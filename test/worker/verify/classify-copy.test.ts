import { describe, expect, test } from 'vitest';
import type { Item } from '../../../src/model/item.ts';
import type { RemovalPolicy, Rule } from '../../../src/model/rule.ts';
import { classifyCopy, type Orphans, rootNamed } from '../../../src/worker/verify/classify-copy.ts';
import {
  aBooking,
  aCrewing,
  aGuestTicket,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../fixtures/cruises/cruise-items.ts';
import {
  cruises,
  dateOnLegs,
  nameOnCrew,
  nameOnCrewThat,
  ticketOnGuestTicket,
  ticketStateKeys,
  voyageOnBookings,
} from '../../fixtures/cruises/cruise-rules.ts';
import { keyIn } from '../../fixtures/cruises/cruise-worker.ts';
import { table } from '../../fixtures/model/table.ts';

const registry = cruises();

describe('a copy', () => {
  test('is right if it equals the projection of its root', () => {
    expect(classified(voyageOnBookings, aVoyage(), aBooking('g'))).toEqual({ is: 'right' });
    expect(classified(ticketStateKeys, aTicket(), aTicket())).toEqual({ is: 'right' });
  });

  test('differs, with the names of the attributes and those that no rule names', () => {
    const copy = aBooking('g', { Wind: 'N', Captain: 'Nemo' });

    expect(classified(voyageOnBookings, aVoyage(), copy)).toEqual({
      is: 'drift',
      drift: {
        kind: 'differs',
        rule: 'voyage-on-bookings',
        root: keyIn(aVoyage()),
        copy: keyIn(copy),
        attributes: ['Captain', 'Wind'],
        unmapped: ['Wind'],
      },
    });
  });

  const index = { is: 'unfindable' };
  const elsewhere = aGuestTicket({ Part: 'GUEST#43' });
  const another = aCrewing('s', { OwnerPart: 'SAILOR#2' });
  const keyless = aTicket({ StateSort: undefined });
  const derived = { is: 'drift', drift: { kind: 'derived', attributes: ['StateSort'] } };
  const foreign = { is: 'drift', drift: { kind: 'foreign', attributes: [] } };
  test.each<[string, Rule, Item, Item, object]>([
    ['derived wrongly if it is its own root and differs', ticketStateKeys, keyless, keyless, derived],
    ['foreign in another partition', ticketOnGuestTicket, aTicket(), elsewhere, foreign],
    ['foreign in another part of the index', nameOnCrew, aSailor(), another, foreign],
    ['unfindable without OwnerPart', nameOnCrew, aSailor(), aCrewing('s', { OwnerPart: undefined }), index],
    ['unfindable without OwnerSort', nameOnCrew, aSailor(), aCrewing('s', { OwnerSort: undefined }), index],
  ])('is %s', (_, rule, root, copy, expected) => {
    expect(classified(rule, root, copy)).toMatchObject(expected);
  });

  test('gives the reason why it cannot be projected', () => {
    expect(classified(dateOnLegs, aTicket(), aLeg({ PortId: undefined }))).toMatchObject({
      is: 'drift',
      drift: {
        ...{ kind: 'invalid', concerns: 'copy', code: 'copy.invalid' },
        ...{ root: keyIn(aTicket()), attributes: [] },
      },
    });
  });
});

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

function classified(rule: Rule, root: Item, copy: Item) {
  return classifyCopy({ registry, rule, orphans: 'unexplained' }, copy, keyIn(root), root);
}
