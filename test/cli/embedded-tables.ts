import { DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, onTestFinished } from 'vitest';
import { type ApplicationItem, ApplicationTable } from '../../scripts/demo/application-table.ts';
import type { LocalServer } from '../../src/dev/local-server.ts';
import { loopbackClientSettings } from '../../src/dev/loopback.ts';
import { createTable } from '../../src/dev/table/create-table.ts';
import { startEmbeddedTableServer } from '../../src/dev/table/embedded-table-server.ts';
import { table } from '../../src/table.ts';
import { settings } from '../fixtures/application/stack.ts';
import { forwardingProxy } from '../suites/forwarding-proxy.ts';
import { ended, type Ran, start, until } from './denorm.ts';
import { writeRefusingProxy } from './write-refusing-proxy.ts';

/** An embedded DynamoDB for the tests of a file. */
export function embeddedTables() {
  let server: LocalServer;
  let tables = 0;

  beforeAll(async () => {
    server = await startEmbeddedTableServer();
    return () => server.stop();
  });

  return {
    /** The server, once the first test begins. */
    server: () => server,
    /** A new table with these items, and the options that name it on the command line. */
    async newTable(items: readonly ApplicationItem[] = [], definition = settings.table) {
      tables += 1;
      const name = `app-${tables}`;
      await createTable(server.endpoint, name, definition);
      const application = new ApplicationTable(server.endpoint, name, table);
      onTestFinished(() => application.close());
      for (const item of items) await application.put(item);
      return {
        ...{ name, application, at: ['--endpoint', server.endpoint, '--table', name] },
        async expireBy(AttributeName: string) {
          const client = new DynamoDBClient(loopbackClientSettings(server.endpoint));
          onTestFinished(() => client.destroy());
          const TimeToLiveSpecification = { AttributeName, Enabled: true };
          await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
        },
        /** The same table, where no write is expected. */
        refuseWrites: () => writeRefusingProxy(server.endpoint, name),
        /** A run of a command on the table: its first request is answered once it has heard Ctrl-C. */
        async stopped(args: readonly string[], cwd: string): Promise<Ran> {
          let isAsked = false;
          const proxy = await forwardingProxy(server.endpoint, async () => {
            // A second signal, half a second later, would end the command at once.
            if (!isAsked) command.process.kill('SIGINT');
            isAsked = true;
            await until(() => command.stderr().includes('stopping'), 'the signal is heard');
            return true;
          });
          const command = start([...args, '--endpoint', proxy, '--table', name], cwd);
          return ended(command);
        },
      };
    },
  };
}
