import { onTestFinished } from 'vitest';
import { loopbackClientSettings } from '../../../src/dev/loopback.ts';
import { connect } from '../../../src/operate/adapters/connection.ts';
import { loopbackServer } from '../../suites/loopback-server.ts';

export const stack = {
  ...{ TableName: 't', StreamArn: 's', PropagateFunction: 'P', ArchiveFunction: 'A', FanOutFunction: 'F' },
  ...{
    FanOutQueueUrl: 'q',
    DeadLetterQueueUrl: 'd',
    ArchiveBucketName: 'b',
    PropagateFailureBucketName: 'f',
  },
};

/** A connection to a Lambda whose functions have this environment, and the names of the functions that were looked up. */
export async function functionsWith(Variables: Readonly<Record<string, string>>) {
  const asked: string[] = [];
  const server = await loopbackServer(({ path }) => {
    asked.push(/functions\/([^/]+)\//.exec(path)?.[1] ?? '');
    return { status: 200, body: JSON.stringify({ Environment: { Variables } }) };
  });
  const connection = connect(loopbackClientSettings(server.endpoint));
  onTestFinished(async () => {
    connection.close();
    await server.close();
  });
  return { connection, asked };
}
