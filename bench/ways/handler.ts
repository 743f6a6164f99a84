/** This project's handler of the stream, as Lambda calls it. */
import { environmentAt } from '../stub-server.ts';
import { recordsOf, work } from '../works.ts';
import type { Way } from './way.ts';

export const handler: Way = async (endpoint) => {
  Object.assign(process.env, {
    ...environmentAt(endpoint),
    PAGE_LIMIT: '1000',
    FAN_OUT_WRITE_UNITS: '40000',
  });
  const { handler } = await import('../../handlers/propagate.ts');
  const event = { Records: recordsOf(work) };
  return {
    units: work.copies.length,
    writes: work.copies.length,
    run: async () => {
      const { batchItemFailures } = await handler(event, { getRemainingTimeInMillis: () => 300_000 });
      if (batchItemFailures.length > 0) throw new Error('Expected every record to succeed');
    },
  };
};
