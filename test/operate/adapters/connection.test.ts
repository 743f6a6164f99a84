import { createServer } from 'node:http';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListStreamsCommand } from '@aws-sdk/client-dynamodb-streams';
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { ListQueuesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { type ServerRequest, serverOfTest } from '../../suites/loopback-server.ts';

const credentials = { accessKeyId: 'mine', secretAccessKey: 'secret' };

async function somewhere() {
  const requests: ServerRequest[] = [];
  const { endpoint } = await serverOfTest((request) => {
    requests.push(request);
    return { status: 400, body: '{}' };
  });
  const connection = connect({ endpoint, region: 'eu-west-1', credentials });
  onTestFinished(() => connection.close());
  return { requests, connection };
}

describe('connect', () => {
  test('sends requests of every service to one endpoint with one set of credentials', async () => {
    const { requests, connection } = await somewhere();
    const asked = [
      connection.dynamoDb.send(new ListTablesCommand()),
      connection.streams.send(new ListStreamsCommand()),
      connection.s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'key' })),
      connection.sqs.send(new ListQueuesCommand()),
      connection.cloudFormation.send(new DescribeStacksCommand()),
      connection.lambda.send(new ListFunctionsCommand()),
    ];
    await Promise.allSettled(asked);

    const scopes = requests.map(
      ({ headers }) => /Credential=([^,]+)/.exec(String(headers.authorization))?.[1],
    );
    const services = ['dynamodb', 'dynamodb', 's3', 'sqs', 'cloudformation', 'lambda'];
    expect(scopes.map((scope) => scope?.replace(/\d{8}/, 'day')).sort()).toEqual(
      services.map((service) => `mine/day/eu-west-1/${service}/aws4_request`).sort(),
    );
  });

  test('puts a bucket in the path of an endpoint, and in the host of AWS', async () => {
    const { requests, connection } = await somewhere();
    await connection.s3.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'a/b' })).catch(() => {});

    expect(requests[0]?.path).toMatch(/^\/bucket\/a\/b/);
    expect(connect({ region: 'eu-west-1', credentials }).s3.config.forcePathStyle).toBe(false);
    expect(connect({ endpoint: 'http://localhost:1', credentials }).s3.config.forcePathStyle).toBe(true);
  });

  test('waits for a function as long as one may run', async () => {
    const { connection } = await somewhere();
    await connection.lambda.send(new ListFunctionsCommand()).catch(() => {});
    await connection.sqs.send(new ListQueuesCommand()).catch(() => {});

    expect(settingsOf(connection.lambda.config)).toMatchObject({ requestTimeout: 910_000 });
    expect(settingsOf(connection.sqs.config)).toMatchObject({ requestTimeout: 8_000 });
  });

  test('leaves no connection open after close, and opens none to close it', async () => {
    const server = createServer((_, answer) => answer.writeHead(400).end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${Object(server.address()).port}`;
    const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    connect({ endpoint, region: 'eu-west-1', credentials }).close();
    const connection = connect({ endpoint, region: 'eu-west-1', credentials });
    // One client, whatever asks for it.
    expect(connection.sqs).toBe(connection.sqs);
    await connection.sqs.send(new ListQueuesCommand()).catch(() => {});
    expect(await open()).toBe(1);
    connection.close();

    await expect.poll(open).toBe(0);
  });
});

/** The settings of a client’s request handler, available after its first request. */
function settingsOf({ requestHandler }: { readonly requestHandler: object }): unknown {
  return 'httpHandlerConfigs' in requestHandler && typeof requestHandler.httpHandlerConfigs === 'function'
    ? requestHandler.httpHandlerConfigs()
    : undefined;
}
