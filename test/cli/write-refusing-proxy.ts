import { forwardingProxy } from '../suites/forwarding-proxy.ts';

/** The operations that change nothing. */
const reads = ['DescribeTable', 'DescribeTimeToLive', 'GetItem', 'BatchGetItem', 'Query', 'Scan'];

/** Another way to a table, which passes on reads and refuses writes, until the test ends. */
export async function writeRefusingProxy(endpoint: string, tableName: string) {
  const refused: string[] = [];
  const proxy = await forwardingProxy(endpoint, (operation) => {
    if (!reads.includes(operation)) refused.push(operation);
    return reads.includes(operation);
  });
  return {
    /** The options that name the table on the command line. */
    at: ['--endpoint', proxy, '--table', tableName],
    /** The refused requests, by operation. */
    refused,
  };
}
