import { describe, expect, test } from 'vitest';
import { InvalidItemError } from '../../../../src/model/errors.ts';
import { itemSize, maxItem } from '../../../../src/model/item-size.ts';
import type { Rule } from '../../../../src/model/rule.ts';
import { planUpdate } from '../../../../src/worker/propagation/plan/plan-update.ts';
import { project } from '../../../../src/worker/propagation/plan/root-projection.ts';
import { locationOf } from '../../../../src/worker/propagation/plan/rule-functions.ts';
import {
  aBooking,
  aCrewing,
  aLeg,
  aSailor,
  aTicket,
  aVoyage,
} from '../../../fixtures/cruises/cruise-items.ts';
import {
  dateOnLegs,
  nameOnCrew,
  ticketOnGuestTicket,
  voyageOnBookings,
} from '../../../fixtures/cruises/cruise-rules.ts';
import { table } from '../../../fixtures/model/table.ts';
import { refusal } from '../../../suites/refusal.ts';

const theLeg = { pk: 'TICKET#t', sk: 'LEG#1' };
const theSailor = { pk: 'SAILOR#1', sk: 'SAILOR' };

describe('an error names what is invalid', () => {
  test('a root that cannot locate its copies, with the key lengths that DynamoDB accepts', () => {
    const error = refusal(() =>
      locationOf(table, ticketOnGuestTicket, aTicket({ GuestId: '§'.repeat(1100) })),
    );

    expect(error).toMatchObject({
      concerns: 'root',
      rule: 'ticket-on-guest-ticket',
      key: { pk: 'TICKET#t', sk: 'TICKET' },
    });
    expect(error.message).toBe(
      'Rule ticket-on-guest-ticket locates copies at a key that DynamoDB rejects: expected a partition key of 1 to 2048 bytes and a sort key of 1 to 1024',
    );
  });

  test('the copy, if a derivation that reads copies throws', () => {
    const error = refusal(() => project(table, throwing(dateOnLegs), aTicket(), aLeg()));

    expect(error).toMatchObject({ concerns: 'copy', rule: 'date-on-legs', key: theLeg });
  });

  test('the root, if a derivation that reads no copy throws', () => {
    const error = refusal(() => project(table, throwing(readingNoCopy()), aSailor(), aCrewing('s')));

    expect(error).toMatchObject({ concerns: 'root', rule: 'name-on-crew', key: theSailor });
  });

  test('the copy, if DynamoDB does not accept the number derived from it', () => {
    const rule: Rule = { ...dateOnLegs, derive: { Ratio: () => Number.NaN } };
    const error = refusal(() => project(table, rule, aTicket(), aLeg()));

    expect(error).toMatchObject({ concerns: 'copy', code: 'copy.invalid', key: theLeg });
    expect(error.message).toBe(
      "Rule date-on-legs derives a value of 'Ratio' that DynamoDB rejects: expected a finite number, got NaN",
    );
  });

  test('the root, if DynamoDB does not accept the number derived only from it', () => {
    const rule: Rule = { ...readingNoCopy(), derive: { Ratio: () => Number.NaN } };
    const error = refusal(() => project(table, rule, aSailor(), aCrewing('s')));

    expect(error).toMatchObject({ concerns: 'root', code: 'root.invalid', key: theSailor });
  });

  test('a copy that would grow too large', () => {
    const grown = aVoyage({ Log: 'x'.repeat(400 * 1024) });

    expect(refusal(() => planUpdate(table, voyageOnBookings, grown, aBooking('g')))).toMatchObject({
      concerns: 'copy',
      message:
        "A copy of rule voyage-on-bookings would grow beyond DynamoDB's 400 KB: make the root or the copy smaller",
    });
  });

  test('with the name of the thrown value, even if it is not an Error', () => {
    const rule: Rule = {
      ...readingNoCopy(),
      derive: {
        Label: () => {
          throw 'secret';
        },
      },
    };

    expect(refusal(() => project(table, rule, aSailor(), aCrewing('s'))).message).toBe(
      'Function derive.Label of rule name-on-crew threw a value that is not an Error on this item: correct it, or make the schema reject what it cannot use',
    );
  });
});

describe('a size at the limit of DynamoDB is valid', () => {
  test('a sort key prefix of 1,024 bytes', () => {
    const rule: Rule = {
      ...voyageOnBookings,
      located: { in: 'partition', at: () => ({ pk: 'p', begins: 'x'.repeat(1024) }) },
    };

    expect(locationOf(table, rule, aVoyage())).toMatchObject({ pk: 'p' });
  });

  test('a copy of exactly 400 KB', () => {
    const room = maxItem - itemSize(aBooking('g')) - 'Log'.length;

    expect(planUpdate(table, voyageOnBookings, aVoyage({ Log: 'x'.repeat(room) }), aBooking('g'))).toEqual(
      expect.objectContaining({ partial: false }),
    );
    expect(() =>
      planUpdate(table, voyageOnBookings, aVoyage({ Log: 'x'.repeat(room + 1) }), aBooking('g')),
    ).toThrow(InvalidItemError);
  });
});

/** A rule that derives from the root alone. */
function readingNoCopy(): Rule {
  return { ...nameOnCrew, reads: { root: [], copy: [] } };
}

function throwing(rule: Rule): Rule {
  return {
    ...rule,
    derive: {
      Label: () => {
        throw new RangeError('secret');
      },
    },
  };
}
