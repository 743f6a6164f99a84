import * as z from 'zod';
import { loopbackServer } from '../../suites/loopback-server.ts';
import { inEmptyBucket, sent } from './stub-services.ts';

/** Source: AWS, "BatchGetItem". */
const maxResponse = 16 * 1024 ** 2;
/** Source: AWS, "Query". */
const maxPage = 1024 ** 2;

const keySchema = z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) });
const bodySchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })).default([]),
  Statements: z.array(z.unknown()).default([]),
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(keySchema) })).default({}),
  Key: keySchema.optional(),
  ExclusiveStartKey: keySchema.optional(),
  IndexName: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ S: z.string() })).default({}),
});
type Key = z.output<typeof keySchema>;

export interface LargeItems {
  /** The bytes of each item, almost. */
  readonly size: number;
  /** How many copies or companions each root has, in an index or in its partition. */
  readonly copies: number;
  /** How many orders an index finds to sweep. Default: none. */
  readonly orders?: number;
}

/** Of each item, by its sort key. */
const types: Readonly<Record<string, string>> = {
  ...{ '#METADATA': 'User', METADATA: 'Order', ITEM: 'OrderItem' },
};

/**
 * A DynamoDB table with large items at all keys, which the server makes as it sends them, a queue that takes all messages, and an empty
 * bucket that takes all objects. It limits its responses as DynamoDB does.
 */
export async function largeItemsServer({ size, copies, orders = 0 }: LargeItems) {
  const filler = Buffer.alloc(size, 'x');
  let written = 0;
  const item = (key: Key, place: string): readonly (string | Buffer)[] => {
    const id = place.replace('USER#', '');
    const fields = JSON.stringify({
      ...{ ...key, Type: { S: types[key.SK.S.replace(/(?<=.)#.*/, '')] ?? 'Membership' } },
      userId: { S: id },
      username: { S: key.SK.S },
      email: { S: 'a@example.com' },
      role: { S: 'guest' },
      ...{ serverId: { S: key.PK.S.replace('SERVER#', '') }, GSI1PK: { S: place }, GSI1SK: { S: key.PK.S } },
      ...{ UserId: { S: '1' }, Status: { S: 'DELIVERED' }, Total: { N: '1' }, ProductId: { S: '1' } },
      ...(key.SK.S === 'METADATA' && { CreatedAt: { S: '2020-01-01' } }),
    });
    return [fields.slice(0, -1), ',"Bio":{"S":"', filler, '"}}'];
  };
  const itemAt = (key: Key) => item(key, key.SK.S === '#METADATA' ? key.PK.S : key.SK.S);
  const joined = (keys: readonly Key[]) =>
    keys.flatMap((key, index) => [...(index > 0 ? [','] : []), ...itemAt(key)]);
  const answer = (operation: string, asked: z.output<typeof bodySchema>): readonly (string | Buffer)[] => {
    switch (operation) {
      case 'GetItem':
        return asked.Key === undefined ? ['{}'] : ['{"Item":', ...itemAt(asked.Key), '}'];
      case 'Query': {
        const { S: pk } = asked.ExpressionAttributeValues[':pk'] ?? { S: '' };
        if (asked.IndexName !== undefined) {
          const Items =
            asked.IndexName === 'GSI1'
              ? numbered(copies, (index) => ({ PK: { S: `SERVER#${index}` }, SK: { S: pk } }))
              : numbered(orders, (index) => ({ PK: { S: `ORDER#${index}` }, SK: { S: 'METADATA' } }));
          return [JSON.stringify({ Items, Count: Items.length })];
        }
        const start = Number(asked.ExclusiveStartKey?.SK.S.slice('ITEM#'.length) ?? -1) + 1;
        const end = Math.min(copies, start + Math.max(1, Math.floor(maxPage / size)));
        const keys = numbered(end, (index) => ({ PK: { S: pk }, SK: { S: `ITEM#${index}` } }));
        const next = end < copies ? `,"LastEvaluatedKey":${JSON.stringify(keys.at(-1))}` : '';
        return ['{"Items":[', ...joined(keys.slice(start)), `],"Count":${end - start}${next}}`];
      }
      case 'BatchGetItem': {
        const [[table, { Keys: keys }] = ['', { Keys: [] }]] = Object.entries(asked.RequestItems);
        const fitting = Math.max(1, Math.floor(maxResponse / size));
        const left = keys.slice(fitting);
        const UnprocessedKeys = left.length === 0 ? {} : { [table]: { Keys: left, ConsistentRead: true } };
        return [
          `{"Responses":{${JSON.stringify(table)}:[`,
          ...joined(keys.slice(0, fitting)),
          `]},"UnprocessedKeys":${JSON.stringify(UnprocessedKeys)}}`,
        ];
      }
      case 'BatchExecuteStatement':
        written += asked.Statements.length;
        return [JSON.stringify({ Responses: asked.Statements.map(() => ({})) })];
      default:
        return [JSON.stringify(sent(asked.Entries))];
    }
  };
  const server = await loopbackServer(({ method, headers, body }) => {
    if (headers['x-amz-target'] === undefined) return inEmptyBucket(method);
    const asked = bodySchema.parse(JSON.parse(body.toString()));
    const operation = String(headers['x-amz-target']).replace(/.*\./, '');
    const parts = answer(operation, asked).map((part) =>
      typeof part === 'string' ? Buffer.from(part) : part,
    );
    const json = { 'content-type': 'application/x-amz-json-1.0' };
    return { status: 200, headers: json, body: Buffer.concat(parts) };
  });
  /** `written` tells the statements that it has executed. */
  return { ...server, written: () => written };
}

function numbered<One>(length: number, one: (index: number) => One): readonly One[] {
  return Array.from({ length }, (_, index) => one(index));
}
