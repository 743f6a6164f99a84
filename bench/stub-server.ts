/** A server that stands for AWS in a benchmark, and what leads the SDK there. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connection, tableName } from './ways/way.ts';

/** @returns the answer of DynamoDB or SQS; undefined if the operation is another service's */
type AnswerTo = (operation: string, body: string) => string | undefined;

/** S3 has no object, and takes each. */
export async function startServer(answerTo: AnswerTo, answerAfterMs: number) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const answer = answerTo(operation, Buffer.concat(chunks).toString());
      const isHead = request.method === 'HEAD';
      const send = () => {
        if (answer !== undefined)
          response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(answer);
        else if (request.method === 'PUT') response.writeHead(200, { etag: '"e"' }).end();
        else response.writeHead(404).end(isHead ? '' : '<Error><Code>NoSuchKey</Code></Error>');
      };
      if (answerAfterMs === 0) send();
      else setTimeout(send, answerAfterMs);
    });
  });
  // Ways are sampled in turn: a connection that waits for its next round stays open.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

/** The answer to a SendMessageBatch: every message is taken. */
export function taken(entries: readonly Entry[]): object {
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const Successful = entries.map(({ Id, MessageBody }) => {
    return { Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) };
  });
  return { Successful, Failed: [] };
}

/** The environment of a function whose table and queues are at this endpoint. */
export function environmentAt(endpoint: string) {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: connection.region,
    AWS_ACCESS_KEY_ID: connection.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: connection.credentials.secretAccessKey,
    TABLE_NAME: tableName,
    FAN_OUT_QUEUE_URL: `${endpoint}/000000000000/fan-out`,
    DEAD_LETTER_QUEUE_URL: `${endpoint}/000000000000/dead-letters`,
    POWERTOOLS_SERVICE_NAME: 'bench',
    POWERTOOLS_METRICS_NAMESPACE: 'bench',
  };
}
