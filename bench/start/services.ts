import { environmentAt, startServer, taken } from '../stub-server.ts';

/** Answers of DynamoDB and SQS, by operation: an empty table, and a queue that takes everything. */
const answers: Readonly<Record<string, (request: { Entries: Parameters<typeof taken>[0] }) => object>> = {
  GetItem: () => ({}),
  BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
  Query: () => ({ Items: [], Count: 0 }),
  Scan: () => ({ Items: [], Count: 0 }),
  SendMessageBatch: ({ Entries }) => taken(Entries),
  GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessages: '0' } }),
};

/** A stub of what the functions call, which answers at once, and the environment that leads them there. */
export async function startServices() {
  const { endpoint, close } = await startServer((operation, body) => {
    const answer = answers[operation];
    return answer && JSON.stringify(answer(JSON.parse(body)));
  }, 0);
  return {
    // The table that the events name.
    environment: { ...environmentAt(endpoint), TABLE_NAME: 'app', ARCHIVE_BUCKET: 'bench' },
    close,
  };
}
