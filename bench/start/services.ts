import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers of DynamoDB and SQS, by operation: an empty table, and a queue that takes everything. */
const answers: Readonly<Record<string, (request: { Entries?: Entry[] }) => unknown>> = {
  GetItem: () => ({}),
  BatchGetItem: () => ({ Responses: {}, UnprocessedKeys: {} }),
  Query: () => ({ Items: [], Count: 0 }),
  Scan: () => ({ Items: [], Count: 0 }),
  SendMessageBatch: ({ Entries = [] }) => ({ Successful: Entries.map(sent), Failed: [] }),
};

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

/** A stub of what the functions call, and the environment that leads them there. S3 has no object, and takes each. */
export async function startServices() {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const answer = answers[operation];
      if (answer !== undefined) {
        const body = JSON.stringify(answer(JSON.parse(Buffer.concat(chunks).toString())));
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
      } else if (request.method === 'PUT') response.writeHead(200, { etag: '"e"' }).end();
      else
        response.writeHead(404).end(request.method === 'HEAD' ? '' : '<Error><Code>NoSuchKey</Code></Error>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    environment: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'bench',
      AWS_SECRET_ACCESS_KEY: 'bench',
      TABLE_NAME: 'app',
      ARCHIVE_BUCKET: 'bench',
      FAN_OUT_QUEUE_URL: `${endpoint}/000000000000/fan-out`,
      DEAD_LETTER_QUEUE_URL: `${endpoint}/000000000000/dead-letters`,
      POWERTOOLS_SERVICE_NAME: 'bench',
      POWERTOOLS_METRICS_NAMESPACE: 'bench',
    },
    close: () => server.close(),
  };
}

function sent({ Id, MessageBody }: Entry) {
  return { Id, MessageId: Id, MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex') };
}
