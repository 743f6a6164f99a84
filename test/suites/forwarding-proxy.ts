import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/**
 * Another way to a table, until the test ends.
 * @param passes called with each operation, such as `UpdateItem`, and its input; a request is refused if it gives false
 * @returns the endpoint
 */
export async function forwardingProxy(
  endpoint: string,
  passes: (operation: string, input: Record<string, unknown>) => boolean | Promise<boolean>,
): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { authorization = '', 'x-amz-date': date, 'x-amz-target': target = '' } = incoming.headers;
    const type = 'application/x-amz-json-1.0';
    if (!(await passes(String(target).replace(/^.*\./, ''), JSON.parse(body.toString())))) {
      outgoing.writeHead(400, { 'content-type': type });
      outgoing.end(JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#AccessDeniedException' }));
      return;
    }
    const headers = {
      ...{ 'x-amz-target': String(target), 'content-type': type },
      ...{ authorization, 'x-amz-date': String(date) },
    };
    const answer = await fetch(endpoint, { method: 'POST', headers, body });
    outgoing.writeHead(answer.status, { 'content-type': type });
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  return `http://127.0.0.1:${address.port}`;
}
