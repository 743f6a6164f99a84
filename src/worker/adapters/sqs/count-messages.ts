import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { DenormError } from '../../../model/basics/errors.ts';
import type { BacklogPort } from '../../ports.ts';
import { asked } from '../aws-errors.ts';

const counts = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** About how many messages a queue has, hidden and delayed ones included. Needs `sqs:GetQueueAttributes`. */
export async function countMessages(client: SQSClient, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await asked(`GetQueueAttributes of ${QueueUrl}`, () =>
    client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...counts] })),
  );
  return counts.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** The fan-out queue. It is only looked at: without it, the search goes on. */
export function sqsBacklog(client: SQSClient, queueUrl: string): BacklogPort {
  return {
    async look() {
      try {
        return { messages: await countMessages(client, queueUrl) };
      } catch (error) {
        if (error instanceof DenormError) return { unseen: error.message };
        throw error;
      }
    },
  };
}
