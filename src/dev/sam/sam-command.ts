import { join } from 'node:path';
import { localRegion } from '../loopback.ts';

/** The host name of this machine inside a container. Source: Docker Docs, "Networking on Docker Desktop". */
const hostName = 'host.docker.internal';

/** The file that `denorm dev --sam` writes to its state folder for `sam local invoke --env-vars`. */
export const envFileName = 'sam-env.json';

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

export function envFileText(location: {
  readonly tableName: string;
  readonly port: number;
  readonly ministackPort: number;
}): string {
  const services = `http://${hostName}:${location.ministackPort}`;
  const Parameters = {
    TABLE_NAME: location.tableName,
    AWS_ENDPOINT_URL_DYNAMODB: `http://${hostName}:${location.port}`,
    AWS_ENDPOINT_URL_S3: services,
    AWS_ENDPOINT_URL_SQS: services,
    FAN_OUT_QUEUE_URL: queueUrl(services, serviceNames.fanOutQueue),
    DEAD_LETTER_QUEUE_URL: queueUrl(services, serviceNames.deadLetterQueue),
    ARCHIVE_BUCKET: serviceNames.bucket,
    // Objects in colder classes could not be read.
    ARCHIVE_STORAGE_CLASS: 'STANDARD',
    // A sample of a small table may be empty.
    VERIFY_SAMPLE_PERCENT: '100',
  };
  return `${JSON.stringify({ Parameters }, null, 2)}\n`;
}

/** Lambda's name for this machine's processor, which a container runs without emulation. */
function architecture(): string {
  return process.arch === 'arm64' ? 'arm64' : 'x86_64';
}

/** The image of which SAM CLI makes the containers. */
export function baseImage(): string {
  return `public.ecr.aws/lambda/nodejs:24-${architecture()}`;
}

/** The arguments of `sam` that run a function in a container against the services of `denorm dev --sam`. */
export function samLocalInvoke(
  functionName: string,
  event: string,
  stateDir: string,
  bridge: string | undefined,
): readonly string[] {
  return [
    ...['local', 'invoke', functionName, '--event', event],
    ...['--env-vars', join(stateDir, envFileName), '--region', localRegion],
    // The template's default is arm64.
    ...['--parameter-overrides', `Architecture=${architecture()}`],
    ...(bridge === undefined ? [] : ['--add-host', `${hostName}:host-gateway`]),
  ];
}
