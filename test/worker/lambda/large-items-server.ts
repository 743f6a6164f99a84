import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';

/** Source: AWS, "BatchGetItem". */
const maxResponse = 16 * 1024 ** 2;

const keySchema = z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) });
const bodySchema = z.object({
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })).default([]),
  Statements: z.array(z.unknown()).default([]),
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(keySchema) })).default({}),
  Key: keySchema.optional(),
  IndexName: z.string().optional(),
  ExpressionAttributeValues: z.record(z.string(), z.object({ S: z.string() })).default({}),
});
type Key = z.output<typeof keySchema>;

export interface LargeItems {
  /** The bytes of each item, almost. */
  readonly size: number;
  /** How many copies an index finds for each root. */
  readonly copies: number;
}

/**
 * A DynamoDB table with large items at all keys, which the server makes as it sends them, and a queue that takes all messages. It
 * limits its responses as DynamoDB does.
 */
export async function largeItemsServer({ size, copies }: LargeItems) {
  const filler = Buffer.alloc(size, 'x');
  const requests: { readonly operation: string; readonly keys: number }[] = [];
  const item = (key: Key, place: string): readonly (string | Buffer)[] => {
    const id = place.replace('USER#', '');
    const fields = JSON.stringify({
      ...{ ...key, Type: { S: key.SK.S === '#METADATA' ? 'User' : 'Membership' } },
      ...{
        userId: { S: id },
        username: { S: key.SK.S },
        email: { S: 'a@example.com' },
        role: { S: 'guest' },
      },
      ...{ serverId: { S: key.PK.S.replace('SERVER#', '') }, GSI1PK: { S: place }, GSI1SK: { S: key.PK.S } },
    });
    return [fields.slice(0, -1), ',"Bio":{"S":"', filler, '"}}'];
  };
  const itemAt = (key: Key) => item(key, key.SK.S === '#METADATA' ? key.PK.S : key.SK.S);
  const answer = (operation: string, asked: z.output<typeof bodySchema>): readonly (string | Buffer)[] => {
    switch (operation) {
      case 'GetItem':
        return asked.Key === undefined ? ['{}'] : ['{"Item":', ...itemAt(asked.Key), '}'];
      case 'Query': {
        const { S: user } = asked.ExpressionAttributeValues[':pk'] ?? { S: '' };
        const Items = Array.from({ length: copies }, (_, index) => ({
          ...{ PK: { S: `SERVER#${index}` }, SK: { S: user } },
        }));
        return [JSON.stringify({ Items, Count: copies })];
      }
      case 'BatchGetItem': {
        const [[table, { Keys: keys }] = ['', { Keys: [] }]] = Object.entries(asked.RequestItems);
        const fitting = Math.max(1, Math.floor(maxResponse / size));
        const items = keys
          .slice(0, fitting)
          .flatMap((key, index) => [...(index > 0 ? [','] : []), ...itemAt(key)]);
        const left = keys.slice(fitting);
        const UnprocessedKeys = left.length === 0 ? {} : { [table]: { Keys: left, ConsistentRead: true } };
        return [
          `{"Responses":{${JSON.stringify(table)}:[`,
          ...items,
          `]},"UnprocessedKeys":${JSON.stringify(UnprocessedKeys)}}`,
        ];
      }
      case 'BatchExecuteStatement':
        return [JSON.stringify({ Responses: asked.Statements.map(() => ({})) })];
      default:
        return [JSON.stringify(sent(asked.Entries))];
    }
  };
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const asked = bodySchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
    const operation = String(incoming.headers['x-amz-target']).replace(/.*\./, '');
    requests.push({ operation, keys: Object.values(asked.RequestItems)[0]?.Keys.length ?? 1 });
    const parts = answer(operation, asked);
    const length = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    outgoing.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': length });
    for (const part of parts) outgoing.write(part);
    outgoing.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sent(entries: z.output<typeof bodySchema>['Entries']) {
  return {
    Successful: entries.map(({ Id, MessageBody }) => ({
      ...{ Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') },
    })),
    Failed: [],
  };
}
