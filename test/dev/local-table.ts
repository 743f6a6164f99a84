import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { createTable } from '../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { openStream, type StreamPort } from '../../src/operate/adapters/dynamodb/stream-port.ts';
import { settings } from '../fixtures/application/stack.ts';

export interface LocalTestTable {
  readonly endpoint: string;
  readonly name: string;
  readonly items: DynamoDBDocumentClient;
  readonly stream: StreamPort;
  close(): Promise<void>;
}

/** A separate embedded server, with the stack’s table. */
export async function startLocalTable(name = 'app'): Promise<LocalTestTable> {
  const server = await startEmbeddedTableServer();
  const streamArn = await createTable(server.endpoint, name, settings.table);
  const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
  const streams = new DynamoDBStreamsClient(loopbackClientSettings(server.endpoint));
  return {
    endpoint: server.endpoint,
    name,
    items: DynamoDBDocumentClient.from(client),
    stream: openStream(streams, streamArn),
    async close() {
      client.destroy();
      streams.destroy();
      await server.stop();
    },
  };
}
