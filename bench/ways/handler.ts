/** This project's handler of the stream, as Lambda calls it. */
import { recordsOf } from '../works.ts';
import { connection, tableName, type Way } from './way.ts';

export const handler: Way = async (work, { endpoint }) => {
  Object.assign(process.env, {
    TABLE_NAME: tableName,
    FAN_OUT_QUEUE_URL: `${endpoint}/000000000000/fan-out`,
    DEAD_LETTER_QUEUE_URL: `${endpoint}/000000000000/dead-letters`,
    PAGE_LIMIT: '1000',
    FAN_OUT_WRITE_UNITS: '40000',
    POWERTOOLS_SERVICE_NAME: 'propagate',
    POWERTOOLS_METRICS_NAMESPACE: 'bench',
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: connection.region,
    AWS_ACCESS_KEY_ID: connection.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: connection.credentials.secretAccessKey,
  });
  const { handler } = await import('../../handlers/propagate.ts');
  const event = { Records: recordsOf(work) };
  return async () => {
    const { batchItemFailures } = await handler(event, { getRemainingTimeInMillis: () => 300_000 });
    if (batchItemFailures.length > 0) throw new Error('Expected every record to succeed');
  };
};
