import type { AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import { expect, test } from 'vitest';
import { lambdaImage } from '../../../../src/develop/dev/event-source/lambda-record.ts';

test('an image has the form of Lambda: plain JSON, binary as base64 text', () => {
  const image: Record<string, AttributeValue> = {
    Bytes: { B: new Uint8Array([1, 2]) },
    Many: { BS: [new Uint8Array([3])] },
    Nested: { M: { List: { L: [{ N: '1' }, { BOOL: false }, { NULL: true }] } } },
    Names: { SS: ['a'] },
    Numbers: { NS: ['1'] },
  };

  expect(lambdaImage(image)).toEqual({
    Bytes: { B: 'AQI=' },
    Many: { BS: ['Aw=='] },
    Nested: { M: { List: { L: [{ N: '1' }, { BOOL: false }, { NULL: true }] } } },
    Names: { SS: ['a'] },
    Numbers: { NS: ['1'] },
  });
});

test('an attribute that the SDK names without a value, such as __proto__, is omitted', () => {
  const image = JSON.parse('{"Name":{"S":"x"},"Map":{"M":{}}}');
  image.Lost = undefined;
  image.Map.M.Lost = undefined;

  expect(lambdaImage(image)).toStrictEqual({ Name: { S: 'x' }, Map: { M: {} } });
});
