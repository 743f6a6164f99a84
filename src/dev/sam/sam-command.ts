import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { localRegion } from '../loopback.ts';
import type { ContainerReach } from './container-reach.ts';
import { hostName } from './container-reach.ts';
import { queueUrl, serviceNames } from './local-services.ts';
import { pythonTool } from './python-tool.ts';

/** The file that `denorm dev --sam` writes for `sam local invoke --env-vars`, below its folder of state. */
export function envFile(stateDir: string): string {
  return join(stateDir, 'sam-env.json');
}

/** What an env file says, for all functions: a table, and beside it queue and bucket, that a container reaches. */
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
    // Objects of colder classes could not be looked at.
    ARCHIVE_STORAGE_CLASS: 'STANDARD',
    // A share of a small table is nothing.
    VERIFY_SAMPLE_PERCENT: '100',
  };
  return `${JSON.stringify({ Parameters }, null, 2)}\n`;
}

/** SAM CLI: that of `npm run setup:sam`, by its path from the working folder; else the one on PATH. */
export function samProgram(): string {
  const installed = pythonTool('sam', 'sam');
  return existsSync(installed) ? relative(process.cwd(), installed) || installed : 'sam';
}

/** Lambda's name for the processor of this machine, which a container runs without emulation. */
function architecture(): string {
  return process.arch === 'arm64' ? 'arm64' : 'x86_64';
}

/**
 * The words after `sam` that run a function in a container against what `denorm dev --sam` has started.
 * @param event a file; undefined for a function that takes any event
 */
export function samLocalInvoke(
  functionName: string,
  event: string | undefined,
  stateDir: string,
  { bridge }: ContainerReach,
): readonly string[] {
  return [
    ...['local', 'invoke', functionName],
    ...(event === undefined ? [] : ['--event', event]),
    ...['--env-vars', envFile(stateDir), '--region', localRegion],
    // The template's default is arm64.
    ...['--parameter-overrides', `Architecture=${architecture()}`],
    ...(bridge === undefined ? [] : ['--add-host', `${hostName}:host-gateway`]),
  ];
}
