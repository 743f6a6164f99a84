/**
 * `node bin/node-24.mjs bench/dead-letters/stub.ts <count>`: a dead-letter queue with so many dead letters, which prints its endpoint
 * and answers at once. Handles are as long as those of SQS.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { startServer } from '../stub-server.ts';

const count = Number(process.argv[2]);
const handleOf = (index: number) => `${String(index).padStart(8, '0')}${'A'.repeat(404)}`;
const letters = Array.from({ length: count }, (_, index) => {
  const root = { pk: `acct_${index % 1000}#incident_${index}`, sk: 'METADATA' };
  const Body = JSON.stringify({
    code: index % 3 === 0 ? 'root.invalid' : 'copy.invalid',
    reason: `Expected ${root.pk} to have the text Title that the rule copies, found none: correct the item`,
    message: { rule: `rule-${index % 7}`, root, cause: 'changed', attempts: 0 },
  });
  return {
    ...{ Body, MessageId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}` },
    ...{ ReceiptHandle: handleOf(index), MD5OfBody: createHash('md5').update(Body).digest('hex') },
    Attributes: { SentTimestamp: String(1_790_000_000_000 + index) },
  };
});
let visible = [...letters.keys()];
let next = 0;
const entriesSchema = z.object({ Entries: z.array(z.object({ Id: z.string(), ReceiptHandle: z.string() })) });

const server = await startServer((operation, body) => {
  switch (operation) {
    case 'GetQueueAttributes':
      // A list begins: what a bare read has hidden is there again.
      visible = [...letters.keys()];
      next = 0;
      return JSON.stringify({ Attributes: { ApproximateNumberOfMessages: String(count) } });
    case 'ReceiveMessage': {
      const Messages = visible.slice(next, next + 10).map((index) => letters[index]);
      next += Messages.length;
      return JSON.stringify({ Messages });
    }
    case 'ChangeMessageVisibilityBatch': {
      const { Entries } = entriesSchema.parse(JSON.parse(body));
      visible.push(...Entries.map(({ ReceiptHandle }) => Number(ReceiptHandle.slice(0, 8))));
      return JSON.stringify({ Successful: Entries.map(({ Id }) => ({ Id })), Failed: [] });
    }
    default:
      return undefined;
  }
}, 0);
console.log(server.endpoint);
