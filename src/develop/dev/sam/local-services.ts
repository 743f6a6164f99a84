import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { StackSettings } from '../../../deploy/stack-settings.ts';
import type { LocalServer } from '../local-server.ts';
import { loopbackClientSettings } from '../loopback.ts';
import { startMiniStack } from './ministack.ts';

export const serviceNames = {
  fanOutQueue: 'fan-out',
  deadLetterQueue: 'dead-letters',
  bucket: 'denorm-local',
} as const;

/** MiniStack's default account. */
const account = '000000000000';

export function queueUrl(origin: string, name: string): string {
  return `${origin}/${account}/${name}`;
}

export async function startLocalServices(stack: StackSettings): Promise<LocalServer> {
  const ministack = await startMiniStack();
  const settings = loopbackClientSettings(ministack.endpoint);
  const sqs = new SQSClient(settings);
  const s3 = new S3Client({ ...settings, forcePathStyle: true });
  try {
    await sqs.send(new CreateQueueCommand({ QueueName: serviceNames.deadLetterQueue }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl(ministack.endpoint, serviceNames.deadLetterQueue),
        AttributeNames: ['QueueArn'],
      }),
    );
    const { VisibilityTimeout, maxReceiveCount } = stack.FanOut;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount });
    await sqs.send(
      new CreateQueueCommand({
        QueueName: serviceNames.fanOutQueue,
        Attributes: { VisibilityTimeout: String(VisibilityTimeout), RedrivePolicy },
      }),
    );
    await s3.send(new CreateBucketCommand({ Bucket: serviceNames.bucket }));
    await s3.send(
      new PutBucketVersioningCommand({
        Bucket: serviceNames.bucket,
        VersioningConfiguration: { Status: 'Enabled' },
      }),
    );
    return ministack;
  } catch (error) {
    await ministack.stop();
    throw error;
  } finally {
    sqs.destroy();
    s3.destroy();
  }
}
