import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { causes, type Message, messageSchema, parkedSchema } from '../../src/model/message.ts';
import { itemKey, keyPart } from '../fixtures/model/arbitraries.ts';

const least: Message = { rule: 'a-rule', root: { pk: 'p', sk: 's' }, cause: 'changed', hops: 0 };

const message: fc.Arbitrary<Message> = fc
  .record(
    {
      rule: fc.string(),
      root: itemKey,
      cause: fc.constantFrom(...causes),
      hops: fc.nat(),
      copies: fc.array(itemKey, { maxLength: 3 }),
      cursor: fc.dictionary(keyPart, keyPart, { maxKeys: 2, noNullPrototype: true }),
      settle: fc.boolean(),
    },
    { requiredKeys: ['rule', 'root', 'cause', 'hops'], noNullPrototype: true },
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
      places: [
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
    ['hops below none', { ...least, hops: -1 }],
    ['half a hop', { ...least, hops: 0.5 }],
    ['no hops', { ...least, hops: undefined }],
    ['a copy that is no key', { ...least, copies: ['p'] }],
    ['a place without a partition', { ...least, places: [{ in: 'index', index: 'i' }] }],
    ['a place of no sort', { ...least, places: [{ in: 'moon', pk: 'p' }] }],
    ['a cursor that is no key', { ...least, cursor: { pk: 1 } }],
    ['nothing', null],
  ])('is none with %s', (_, broken) => {
    expect(messageSchema.safeParse(broken).success).toBe(false);
  });
});

describe('something parked', () => {
  test('says why, and what by', () => {
    const parked = { reason: 'why', code: 'a.b', message: least };

    expect(parkedSchema.parse(JSON.parse(JSON.stringify(parked)))).toEqual(parked);
    expect(parkedSchema.safeParse({ code: 'a.b' }).success).toBe(false);
  });
});
