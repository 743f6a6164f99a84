import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { BlockList, isIPv4 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { StackSettings } from '../../deploy/stack-settings.ts';
import type { DevEnvironmentOptions } from '../dev-environment.ts';
import { LocalError, lastWordsOf, messageOf } from '../errors.ts';
import { Folder } from '../folder.ts';
import { type LocalServer, startLocalServer } from '../local-server.ts';
import { loopbackClientSettings } from '../loopback.ts';
import { startGuard } from '../table/guard.ts';
import { envFileName, envFileText, queueUrl, serviceNames } from './sam-command.ts';

export type ForContainers = Awaited<ReturnType<typeof openForContainers>>;

/**
 * Starts queue and bucket beside a table, makes all three reachable from containers, and writes the env file
 * for `sam local invoke`. Listens only on loopback and on the engine's bridge.
 * @param environment of the programs that it starts
 * @returns `bridge`, this machine's address for containers, where they do not reach loopback; `failed`, which rejects if queue and
 * bucket have ended unexpectedly; `close` also removes the env file
 * @throws LocalError if a requirement is missing; then nothing is left running
 */
export async function openForContainers(
  endpoint: string,
  { tableName, stateDir, stack }: Pick<DevEnvironmentOptions, 'tableName' | 'stateDir' | 'stack'>,
  environment: NodeJS.ProcessEnv,
) {
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
      const onBridge = await startGuard(target, portOf(target), { address: bridge });
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

/** Runs `docker` with these arguments to its end. Resolves to what it prints. */
export type Docker = (args: readonly string[]) => Promise<string>;

export const docker: Docker = async (args) =>
  (await promisify(execFile)('docker', [...args], { timeout: 20_000 })).stdout;

/** Private addresses, which are not routed on other networks. Source: RFC 1918. */
const privateAddresses = new BlockList();
privateAddresses.addSubnet('10.0.0.0', 8);
privateAddresses.addSubnet('172.16.0.0', 12);
privateAddresses.addSubnet('192.168.0.0', 16);

/** A line for each address range of a network: this machine's address, if it has one yet, and the range. */
const format = '{{range .IPAM.Config}}{{.Gateway}} {{.Subnet}}{{println}}{{end}}';

/**
 * This machine's address on the container engine's bridge, which only containers and this machine reach; undefined where the
 * engine leads `host.docker.internal` to loopback by itself, as Docker Desktop does.
 * @throws LocalError `sam.no-engine` if no engine answers on Linux, `sam.no-bridge` if the engine has no private bridge
 */
export async function bridgeAddress(platform: string, run: Docker): Promise<string | undefined> {
  if (platform !== 'linux') return undefined;
  const asked = (args: readonly string[]) =>
    run(args).catch((error: unknown) => {
      throw new LocalError(
        'sam.no-engine',
        `Expected a container engine that \`docker ${args[0]}\` reaches, but it does not (${lastWordsOf(error)}): ` +
          'start Docker, or leave out --sam.',
        error,
      );
    });
  const system = await asked(['info', '--format', '{{.OperatingSystem}}']);
  if (system.trim() === 'Docker Desktop') return undefined;
  const ranges = await asked(['network', 'inspect', 'bridge', '--format', format]);
  // After a daemon's first start, a network may have only a range; this machine then has its first address.
  const addresses = ranges.split('\n').map((line) =>
    line
      .trim()
      .split(' ')[0]
      ?.replace(/\.0\/\d+$/, '.1'),
  );
  const bridge = addresses.find((address = '') => isIPv4(address) && privateAddresses.check(address));
  if (bridge !== undefined) return bridge;
  throw new LocalError(
    'sam.no-bridge',
    'Expected the network `bridge` of the container engine to have a private IPv4 address, and it has none: ' +
      'set `bip` in its daemon.json.',
  );
}

/** Maximum time until MiniStack answers. It usually takes 2 to 5 seconds. */
const deadlineMs = 60_000;

/**
 * Starts the emulator of AWS, with everything in memory.
 * @param environment of the emulator, which gets its own variables too
 * @param program default: the one on PATH
 * @throws LocalError `sam.no-ministack` if it is not installed, or does not answer
 */
export async function startMiniStack(
  environment: NodeJS.ProcessEnv,
  program = 'ministack',
): Promise<LocalServer> {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-ministack-'));
  try {
    return await startLocalServer({
      name: 'MiniStack',
      program,
      folder,
      deadlineMs,
      healthPath: '/_ministack/health',
      args: () => [],
      env: (host, port) => ({ ...environment, BIND_HOST: host, GATEWAY_PORT: String(port), TMPDIR: folder }),
    });
  } catch (error) {
    const last = messageOf(error).split('\n').at(-1);
    throw new LocalError(
      'sam.no-ministack',
      `Expected MiniStack, the emulator of AWS, to start by \`${program}\`, and it did not (${last}): install it by \`pipx install ministack\`.`,
      error,
    );
  }
}
