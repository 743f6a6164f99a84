import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../../src/model/work/message.ts';
import { causes, messageSchema } from '../../../src/model/work/message-schemas.ts';
import { itemKey, keyPart } from '../../fixtures/model/arbitraries.ts';

const least: Message = { rule: 'a-rule', root: { pk: 'p', sk: 's' }, cause: 'changed', attempts: 0 };

const message: fc.Arbitrary<Message> = fc
  .record(
    {
      rule: fc.string(),
      root: itemKey,
      cause: fc.constantFrom(...causes),
      attempts: fc.nat(),
      copies: fc.array(itemKey, { maxLength: 3 }),
      cursor: fc.dictionary(keyPart, keyPart, { maxKeys: 2, noNullPrototype: true }),
      recheck: fc.boolean(),
    },
    { requiredKeys: ['rule', 'root', 'cause', 'attempts'], noNullPrototype: true },
  )
  .filter(({ cursor }) => cursor === undefined || !Object.hasOwn(cursor, '__proto__'));

describe('a message', () => {
  test('is read from the queue as it was sent', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(messageSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent);
      }),
    );
  });

  test('can contain every kind of location', () => {
    const sent: Message = {
      ...least,
      locations: [
        { in: 'partition', pk: 'p', begins: 'b' },
        { in: 'index', index: 'i', pk: 'p' },
        { in: 'key', pk: 'p', sk: '..' },
      ],
    };

    expect(messageSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent);
  });

  test('drops unknown fields, so that it contains no item content', () => {
    const parsed = messageSchema.parse({
      ...least,
      image: { Secret: { S: 'x' } },
      root: { ...least.root, Name: 'x' },
    });

    expect(parsed).toEqual(least);
  });

  test.each<[unknown]>([
    [{ unitsPerSecond: 0, paidAt: 1 }],
    [{ unitsPerSecond: -25, paidAt: -1 }],
    [{ unitsPerSecond: Number.NaN, paidAt: Number.POSITIVE_INFINITY }],
    [{ unitsPerSecond: 1e300, paidAt: 1e300 }],
    [{ unitsPerSecond: '800' }],
    [null],
  ])('is not lost for a pace that none can keep: %j', (pace) => {
    expect(messageSchema.parse(JSON.parse(JSON.stringify({ ...least, pace })))).toEqual(least);
  });

  test.each<[string, unknown]>([
    ['no rule', { ...least, rule: undefined }],
    ['half a root', { ...least, root: { pk: 'p' } }],
    ['an unknown cause', { ...least, cause: 'bored' }],
    ['negative attempts', { ...least, attempts: -1 }],
    ['half an attempt', { ...least, attempts: 0.5 }],
    ['no attempts', { ...least, attempts: undefined }],
    ['a copy without a key', { ...least, copies: ['p'] }],
    ['a location without a partition', { ...least, locations: [{ in: 'index', index: 'i' }] }],
    ['an unknown kind of location', { ...least, locations: [{ in: 'moon', pk: 'p' }] }],
    ['a cursor of numbers', { ...least, cursor: { pk: 1 } }],
    ['null', null],
  ])('is refused with %s', (_, broken) => {
    expect(messageSchema.safeParse(broken).success).toBe(false);
  });
});
