import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { StackSettings } from '../../deploy/stack-settings.ts';
import type { DevEnvironmentOptions } from '../dev-environment.ts';
import { Folder } from '../folder.ts';
import type { LocalServer } from '../local-server.ts';
import { loopbackClientSettings } from '../loopback.ts';
import { startGuard } from '../table/guard.ts';
import { bridgeAddress, docker } from './container-reach.ts';
import { startMiniStack } from './ministack.ts';
import { envFileName, envFileText, queueUrl, serviceNames } from './sam-command.ts';

export interface ForContainers {
  /** This machine's address for containers, where they do not reach loopback. */
  readonly bridge: string | undefined;
  readonly servicesEndpoint: string;
  /** Rejects if queue and bucket have ended unexpectedly. */
  readonly failed: Promise<never>;
  /** Ends all services, and removes the env file. */
  close(): Promise<void>;
}

/**
 * Starts queue and bucket beside a table, makes all three reachable from containers, and writes the env file
 * for `sam local invoke`. Listens only on loopback and on the engine's bridge.
 * @param environment of the programs that it starts
 * @throws LocalError if a requirement is missing; then nothing is left running
 */
export async function openForContainers(
  endpoint: string,
  { tableName, stateDir, stack }: Pick<DevEnvironmentOptions, 'tableName' | 'stateDir' | 'stack'>,
  environment: NodeJS.ProcessEnv,
): Promise<ForContainers> {
  const bridge = await bridgeAddress(process.platform, docker);
  const ministack = await startLocalServices(stack, environment);
  const state = new Folder(stateDir);
  /** What is open, in the order in which it is closed. */
  const open: (() => Promise<void>)[] = [() => ministack.stop()];
  const close = async () => {
    for (const end of open) await end();
  };
  try {
    const guard = await startGuard(ministack.endpoint, 0);
    open.unshift(() => guard.close());
    const [port, ministackPort] = [portOf(endpoint), portOf(guard.endpoint)];
    for (const target of bridge === undefined ? [] : [endpoint, guard.endpoint]) {
      const onBridge = await startGuard(target, portOf(target), bridge);
      open.unshift(() => onBridge.close());
    }
    await state.write(envFileName, envFileText({ tableName, port, ministackPort }));
    open.unshift(() => state.remove(envFileName));
    return { bridge, servicesEndpoint: guard.endpoint, failed: ministack.failed, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startLocalServices(
  stack: StackSettings,
  environment: NodeJS.ProcessEnv,
): Promise<LocalServer> {
  const ministack = await startMiniStack(environment);
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

function portOf(endpoint: string): number {
  const { port, protocol } = new URL(endpoint);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}
