import { describe, expect, test } from 'vitest';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';
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

  test('differs, with its actual and expected values', () => {
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
      discrepancies: {
        Captain: { is: { S: 'Nemo' }, wanted: { S: 'Ahab' } },
        Wind: { is: { S: 'N' }, wanted: undefined },
      },
    });
  });

  test('does not differ by the order of a set, at any depth, or by the spelling of a number', () => {
    const nested = (set: AttributeValue, fare: string): AttributeValue => ({
      M: { list: { L: [set, { N: fare }] } },
    });
    const root: Item = {
      ...aVoyage({ Captain: 'Nemo' }),
      DepartsAt: { N: '100.0' },
      Ports: { SS: ['a', 'b'] },
      Decks: { NS: ['1', '12345678901234567890123456789012345678'] },
      Seals: { BS: [Uint8Array.of(1), Uint8Array.of(2)] },
      Route: nested({ NS: ['1', '2'] }, '10'),
      Berths: { NS: ['12345678901234567890123456789012345678'] },
    };
    const copy: Item = {
      ...aBooking('g'),
      Ports: { SS: ['b', 'a'] },
      Decks: { NS: ['1.2345678901234567890123456789012345678E37', '1.0'] },
      Seals: { BS: [Uint8Array.of(2), Uint8Array.of(1)] },
      Route: nested({ NS: ['2.0', '1'] }, '1E1'),
      Berths: { NS: ['12345678901234567890123456789012345679'] },
    };

    const classification = classified(voyageOnBookings, root, copy);

    expect(classification).toMatchObject({ drift: { kind: 'differs', attributes: ['Berths', 'Captain'] } });
    expect('discrepancies' in classification && Object.keys(classification.discrepancies).sort()).toEqual([
      'Berths',
      'Captain',
    ]);
    expect(
      classified(voyageOnBookings, root, {
        ...copy,
        Captain: { S: 'Nemo' },
        Berths: { ...(root['Berths'] ?? { NULL: true }) },
      }),
    ).toEqual({
      is: 'right',
    });
  });

  test('is derived wrongly if it is its own root and differs', () => {
    const ticket = aTicket({ StateSort: undefined });

    expect(classified(ticketStateKeys, ticket, ticket)).toMatchObject({
      drift: { kind: 'derived', attributes: ['StateSort'] },
    });
  });

  test('is foreign in a location where its root places no copies', () => {
    const copy = aGuestTicket({ Part: 'GUEST#43' });

    expect(classified(ticketOnGuestTicket, aTicket(), copy)).toMatchObject({
      is: 'drift',
      drift: { kind: 'foreign', attributes: [], copy: keyIn(copy) },
    });
  });

  test.each<[string, Item]>([
    ['its partition key', aCrewing('s', { OwnerPart: undefined })],
    ['its sort key', aCrewing('s', { OwnerSort: undefined })],
  ])('that is not on the index of its rule, for want of %s, cannot be found', (_, copy) => {
    expect(classified(nameOnCrew, aSailor(), copy)).toEqual({ is: 'unfindable' });
  });

  test('is foreign in another partition of the rule’s index', () => {
    expect(classified(nameOnCrew, aSailor(), aCrewing('s', { OwnerPart: 'SAILOR#2' }))).toMatchObject({
      drift: { kind: 'foreign' },
    });
  });

  test('gives the reason why it cannot be projected', () => {
    expect(classified(dateOnLegs, aTicket(), aLeg({ PortId: undefined }))).toMatchObject({
      is: 'drift',
      drift: {
        ...{ kind: 'invalid', concerns: 'copy', code: 'copy.invalid' },
        ...{ root: keyIn(aTicket()), attributes: [] },
      },
      discrepancies: {},
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
    const rule = nameOnCrewThat(onDelete, onExpire);

    expect(classifyCopy(registry, rule, aCrewing('s'), keyIn(aSailor()), undefined, orphans)).toMatchObject(
      is === 'drift' ? { is, drift: { kind: 'orphan', attributes: [] } } : { is },
    );
  });

  test('is kept after it was cleared', () => {
    const cleared = aCrewing('s', { Name: undefined });

    expect(
      classifyCopy(registry, nameOnCrewThat('clear', 'delete'), cleared, keyIn(aSailor()), undefined),
    ).toMatchObject({ is: 'kept' });
  });
});

describe('the root of a copy', () => {
  test('is the root that it names', () => {
    expect(rootNamed(table, nameOnCrew, aCrewing('s'))).toEqual(keyIn(aSailor()));
  });

  test('does not exist if the rule says so: that is right', () => {
    const rule: Rule = { ...nameOnCrew, rootOf: () => undefined };

    expect(rootNamed(table, rule, aCrewing('s'))).toEqual({ is: 'right' });
  });

  test('is unknown if the copy lacks the attribute that names it', () => {
    const rooted = rootNamed(table, nameOnCrew, aCrewing('s', { SailorId: undefined }));

    expect(rooted).toMatchObject({
      is: 'drift',
      drift: { kind: 'invalid', code: 'copy.invalid' },
    });
    expect('drift' in rooted && rooted.drift).not.toHaveProperty('root');
  });
});

function classified(rule: Rule, root: Item, copy: Item) {
  return classifyCopy(registry, rule, copy, keyIn(root), root);
}
