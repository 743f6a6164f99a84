import { createServer, request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { boundPort, hiddenAddress } from '../../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { startEmbeddedTableServer } from '../../../src/dev/table/embedded-table-server.ts';
import { type Correction, refusal, startGuard } from '../../../src/dev/table/guard.ts';
import { fieldsOf } from '../../../src/model/basics/type-of.ts';
import { serverOfTest } from '../../suites/loopback-server.ts';

/** The status and headers that an address answers, asked as a browser or a program would. */
function asked(endpoint: string, method: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: object }>((resolve, reject) => {
    request(endpoint, { method, headers }, (answer) => {
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers });
    })
      .on('error', reject)
      .end(method === 'POST' ? '{}' : undefined);
  });
}

async function guarded(options: Parameters<typeof startGuard>[2] = {}) {
  const server = await startEmbeddedTableServer();
  onTestFinished(() => server.stop());
  const guard = await startGuard(server.endpoint, 0, options);
  onTestFinished(() => guard.close());
  return { server, guard };
}

test('a program uses the table through the guard', async () => {
  const { guard } = await guarded();
  const client = new DynamoDBClient(loopbackClientSettings(guard.endpoint));
  onTestFinished(() => client.destroy());

  expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});

test('a website in a browser does not, though the server would answer it', async () => {
  const { server, guard } = await guarded();
  const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };

  expect(await asked(server.endpoint, 'OPTIONS', preflight)).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': '*' },
  });
  const refused = await asked(guard.endpoint, 'OPTIONS', preflight);
  expect(refused.status).toBe(403);
  expect(Object.keys(refused.headers).join()).not.toContain('access-control');
  const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };
  expect(await asked(guard.endpoint, 'POST', { ...target, host: 'evil.example:8000' })).toMatchObject({
    status: 403,
  });
  const answered = await asked(guard.endpoint, 'POST', target);
  expect(Object.keys(answered.headers).join()).not.toContain('access-control');
});

test('an idle connection is closed before the server closes it', async () => {
  const closed = Promise.withResolvers<void>();
  const server = createServer(async (incoming, outgoing) => {
    incoming.socket.once('close', closed.resolve);
    // Longer than it may be idle: a request that takes its time is not cut off.
    await setTimeout(1_500);
    outgoing.end('late');
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const guard = await startGuard(`http://127.0.0.1:${boundPort(server)}`, 0);
  onTestFinished(() => guard.close());

  expect(await asked(guard.endpoint, 'GET', {})).toMatchObject({ status: 200 });
  await closed.promise;
});

test.each([
  [{ host: '127.0.0.1:8000' }, true],
  [{ host: '[::1]:8000' }, true],
  [{ host: '172.17.0.1:8000' }, true],
  [{ host: 'localhost' }, true],
  [{ host: 'bucket.localhost:4566' }, true],
  [{ host: 'HOST.docker.internal:8000' }, true],
  [{ host: 'host.containers.internal:8000' }, true],
  [{ host: 'evil.example:8000' }, false],
  [{ host: 'localhost.evil.example' }, false],
  [{ host: 'notlocalhost' }, false],
  [{ host: '127.0.0.1.nip.io' }, false],
  [{}, false],
  [{ host: 'localhost', origin: 'null' }, false],
  [{ host: 'localhost', origin: 'http://localhost' }, false],
  [{ host: 'localhost', 'sec-fetch-site': 'none' }, false],
])('headers %j pass: %s', (headers, passes) => {
  expect(refusal({ headers }) === undefined).toBe(passes);
});

test('the server itself listens where a website would have to try 16 million addresses', () => {
  const addresses = new Set(Array.from({ length: 100 }, () => hiddenAddress('linux')));
  expect(addresses.size).toBeGreaterThan(95);
  for (const address of addresses) expect(address).toMatch(/^127\.([1-9]\d*)\.\d+\.[1-9]\d*$/);
  expect(hiddenAddress('darwin')).toBe('127.0.0.1');
});

test.each<[string, Correction['correct']]>([
  ['that is corrected', async () => ({ body: {} })],
  ['that needs another', async (_, body, send) => ({ body: await send('ListTables', fieldsOf(body)) })],
])('a request %s arrives in one piece, even if it comes in several', async (_, correct) => {
  const server = await serverOfTest(() => ({ status: 200, body: '{}' }));
  const correction = { operations: new Set(['ListTables']), correct };
  const guard = await startGuard(server.endpoint, 0, { correction });
  onTestFinished(() => guard.close());
  const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'transfer-encoding': 'chunked' };

  expect(await asked(guard.endpoint, 'POST', headers)).toMatchObject({ status: 200 });
});

test.each<[string, Correction['correct']]>([
  ['as it is', async (_, body) => ({ body })],
  ['after another', async (_, body, send) => ({ body: await send('ListTables', fieldsOf(body)) })],
])('a server that is gone is an error of the request that comes %s', async (_, correct) => {
  const { server, guard } = await guarded({ correction: { operations: new Set(['ListTables']), correct } });
  await server.stop();

  expect(await asked(guard.endpoint, 'POST', {})).toMatchObject({ status: 502 });
  const headers = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };
  expect(await asked(guard.endpoint, 'POST', headers)).toMatchObject({ status: 502 });
});

test('a port that is in use is refused in one sentence', async () => {
  const other = await serverOfTest(() => ({ status: 404 }));
  const port = Number(new URL(other.endpoint).port);

  await expect(startGuard('http://127.0.0.1:1', port)).rejects.toMatchObject({
    name: 'LocalError',
    code: 'server.port-in-use',
    message: expect.stringContaining(`${port}`),
  });
});

test('a guard listens on the bridge that containers reach, or says why it cannot', async () => {
  const { server } = await guarded();
  const guard = await startGuard(server.endpoint, 0, { address: '127.0.0.2' });
  onTestFinished(() => guard.close());
  const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };

  expect(new URL(guard.endpoint).hostname).toBe('127.0.0.2');
  expect((await asked(guard.endpoint, 'POST', target)).status).not.toBe(502);
  await expect(
    startGuard(server.endpoint, Number(new URL(guard.endpoint).port), { address: '127.0.0.2' }),
  ).rejects.toMatchObject({ code: 'sam.no-bridge', message: expect.stringContaining('EADDRINUSE') });
  await expect(startGuard(server.endpoint, 0, { address: '192.0.2.1' })).rejects.toMatchObject({
    code: 'sam.no-bridge',
    message: expect.stringContaining('EADDRNOTAVAIL'),
  });
});
