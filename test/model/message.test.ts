import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causes, deadLetterSchema, type Message, messageSchema } from '../../src/model/message.ts';
import { itemKey, keyPart } from '../fixtures/model/arbitraries.ts';

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
  test('comes out of the queue as it went in', () => {
    fc.assert(
      fc.property(message, (sent) => {
        expect(messageSchema.parse(JSON.parse(JSON.stringify(sent)))).toEqual(sent);
      }),
    );
  });

  test('carries places of every sort', () => {
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

  test('carries no item content: what is not part of it is left behind', () => {
    const parsed = messageSchema.parse({
      ...least,
      image: { Secret: { S: 'x' } },
      root: { ...least.root, Name: 'x' },
    });

    expect(parsed).toEqual(least);
  });

  test.each<[string, unknown]>([
    ['no rule', { ...least, rule: undefined }],
    ['half a root', { ...least, root: { pk: 'p' } }],
    ['an unknown cause', { ...least, cause: 'bored' }],
    ['attempts below none', { ...least, attempts: -1 }],
    ['half a attempt', { ...least, attempts: 0.5 }],
    ['no attempts', { ...least, attempts: undefined }],
    ['a copy that is no key', { ...least, copies: ['p'] }],
    ['a place without a partition', { ...least, locations: [{ in: 'index', index: 'i' }] }],
    ['a place of no sort', { ...least, locations: [{ in: 'moon', pk: 'p' }] }],
    ['a cursor that is no key', { ...least, cursor: { pk: 1 } }],
    ['nothing', null],
  ])('is none with %s', (_, broken) => {
    expect(messageSchema.safeParse(broken).success).toBe(false);
  });
});

describe('something dead-lettered', () => {
  test('says why, and what by', () => {
    const deadLettered = { reason: 'why', code: 'a.b', message: least };

    expect(deadLetterSchema.parse(JSON.parse(JSON.stringify(deadLettered)))).toEqual(deadLettered);
    expect(deadLetterSchema.safeParse({ code: 'a.b' }).success).toBe(false);
  });
});
