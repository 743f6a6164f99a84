import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** The operations that change nothing. */
const reads = /^DynamoDB_20120810\.(DescribeTable|GetItem|BatchGetItem|Query|Scan)$/;

/** Another way to a table, which passes on reads and refuses writes, until the test ends. */
export async function writeRefusingProxy(endpoint: string, tableName: string) {
  const refused: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const operation = String(incoming.headers['x-amz-target']);
    if (!reads.test(operation)) {
      refused.push(operation);
      outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
      outgoing.end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException' }));
      return;
    }
    const { authorization = '', 'x-amz-date': date } = incoming.headers;
    const headers = {
      ...{ 'x-amz-target': operation, 'content-type': 'application/x-amz-json-1.0' },
      ...{ authorization, 'x-amz-date': String(date) },
    };
    const answer = await fetch(endpoint, { method: 'POST', headers, body: Buffer.concat(chunks) });
    outgoing.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' });
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    /** The options that name the table on the command line. */
    at: ['--endpoint', `http://127.0.0.1:${address.port}`, '--table', tableName],
    /** The refused requests, by operation. */
    refused,
  };
}
