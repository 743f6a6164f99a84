import { describe, expect, test } from 'vitest';
import { messageIn, readLetter } from '../../src/dead-letters/dead-letter.ts';
import { message } from '../suites/queue-port.suite.ts';

const asked = message('ORDER#1');

describe('readLetter', () => {
  test('reads what was parked, with its message or its record', () => {
    const parked = { code: 'root.unprojectable', reason: 'Expected State', message: asked };
    const record = { code: 'record.unreadable', reason: 'no keys', record: '12' };

    expect(readLetter(JSON.stringify(parked))).toEqual({ is: 'parked', parked });
    expect(readLetter(JSON.stringify(record))).toEqual({ is: 'parked', parked: record });
  });

  test('reads a message that was not parked', () => {
    expect(readLetter(JSON.stringify(asked))).toEqual({ is: 'message', message: asked });
  });

  test.each(['', 'no JSON', '[]', 'null', '{"code": 1}', '{"rule": "a", "root": {}}', '{"reason": "why"}'])(
    'finds nothing to read in %s',
    (body) => {
      expect(readLetter(body)).toEqual({ is: 'unreadable' });
    },
  );

  test('takes what was parked with a message of another shape for unreadable', () => {
    const body = JSON.stringify({ code: 'a.b', reason: 'why', message: { ...asked, cause: 'whim' } });
    expect(readLetter(body)).toEqual({ is: 'unreadable' });
  });
});

test('messageIn finds the turn that a letter asks for, where it asks for one', () => {
  expect(messageIn(readLetter(JSON.stringify(asked)))).toEqual(asked);
  expect(messageIn({ is: 'parked', parked: { code: 'a', reason: 'b', message: asked } })).toEqual(asked);
  expect(messageIn({ is: 'parked', parked: { code: 'a', reason: 'b', record: '1' } })).toBeUndefined();
  expect(messageIn({ is: 'unreadable' })).toBeUndefined();
});
