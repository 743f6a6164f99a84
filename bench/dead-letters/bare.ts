/**
 * `bare.ts <queue> <receive or return>`: receives all dead letters of a queue, as the SDK gives them, and counts them; with `return`,
 * it also makes them visible again, as every reader must that leaves the queue as it was.
 */
import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

const [, , QueueUrl, what] = process.argv;
const client = new SQSClient({});
const side = 8;
const held: string[] = [];
let found = 0;

async function receive(): Promise<number> {
  const command = new ReceiveMessageCommand({
    ...{ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 300 },
    MessageSystemAttributeNames: ['SentTimestamp'],
  });
  const { Messages = [] } = await client.send(command);
  if (what === 'return') held.push(...Messages.flatMap(({ ReceiptHandle }) => ReceiptHandle ?? []));
  return Messages.length;
}

async function showAgain(): Promise<void> {
  for (let handles = held.splice(0, 10); handles.length > 0; handles = held.splice(0, 10)) {
    const Entries = handles.map((ReceiptHandle, index) => ({
      ...{ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 },
    }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
  }
}

// At which the stub shows all of them again.
await client.send(new GetQueueAttributesCommand({ QueueUrl }));
for (let last = 1; last > 0; found += last)
  last = (await Promise.all(Array.from({ length: side }, receive))).reduce((sum, one) => sum + one, 0);
await Promise.all(Array.from({ length: side }, showAgain));
console.log(found);
