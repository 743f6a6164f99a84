import { createServer, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';

export interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ServerAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface LoopbackServer {
  readonly endpoint: string;
  close(): Promise<void>;
}

/** An HTTP server on a free port of 127.0.0.1, for tests that speak to a service as it answers on the wire. */
export async function loopbackServer(
  answer: (request: ServerRequest) => ServerAnswer | Promise<ServerAnswer>,
): Promise<LoopbackServer> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = '', url = '', headers } = incoming;
    const answered = await answer({ method, path: url, headers, body: Buffer.concat(chunks) });
    outgoing.writeHead(answered.status, answered.headers);
    outgoing.end(method === 'HEAD' ? undefined : answered.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Expected a port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client of a server that answers as a service does; `close` ends both. */
export interface Served<Client> {
  readonly client: Client;
  readonly endpoint: string;
  close(): Promise<void>;
}

export async function served<Client extends { destroy(): void }>(
  answer: Parameters<typeof loopbackServer>[0],
  clientOf: (settings: ReturnType<typeof loopbackClientSettings>) => Client,
): Promise<Served<Client>> {
  const server = await loopbackServer(answer);
  const client = clientOf(loopbackClientSettings(server.endpoint));
  return {
    client,
    endpoint: server.endpoint,
    async close() {
      client.destroy();
      await server.close();
    },
  };
}

/** A server that ends with the test. */
export async function serverOfTest(answer: Parameters<typeof loopbackServer>[0]): Promise<LoopbackServer> {
  const server = await loopbackServer(answer);
  onTestFinished(server.close);
  return server;
}

/** Such a client, which ends with the test. */
export async function clientOfTest<Client extends { destroy(): void }>(
  ...given: Parameters<typeof served<Client>>
): Promise<Client> {
  const { client, close } = await served(...given);
  onTestFinished(close);
  return client;
}
