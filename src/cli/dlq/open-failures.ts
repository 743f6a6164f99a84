import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { failedBatchFolder } from '../../dev/event-source/on-failure-folder.ts';
import { deadLetterFolder } from '../../dev/queue/dead-letter-folder.ts';
import { counted } from '../../model/basics/text.ts';
import type { KeyNames } from '../../model/items/table-names.ts';
import { type StreamFunction, streamFunctions } from '../../model/work/settings.ts';
import { sqsDeadLetterReader } from '../../operate/adapters/dead-letter-queue.ts';
import { s3FailedBatches, stackFailedBatches } from '../../operate/adapters/failure-buckets.ts';
import {
  asRead,
  type DeadLetterGroup,
  DeadLetterGroups,
  type DeadLetterReader,
  type FoundDeadLetter,
  groupDeadLetters,
  type HeldGroup,
  withFailedBatches,
} from '../../operate/dead-letters/dead-letters.ts';
import type { FailedBatches } from '../../operate/dead-letters/failed-batch.ts';
import { namedConnection } from '../environment.ts';
import { UsageError } from '../errors.ts';
import type { Interruption } from '../interruption.ts';
import {
  openServices,
  type ServiceOptions,
  type Services,
  usingServices,
  withTableOptions,
} from '../options/services.ts';
import { meansDevEnvironment, orDevStage, stageOf } from '../options/stage.ts';
import { isStateFolder, type StateOptions, stateServedAt, withState } from '../options/state.ts';
import { nextCommand } from '../output/next-command.ts';
import { warn, withProgress } from '../output/terminal.ts';
import { project } from '../project.ts';

export interface FailuresOptions extends ServiceOptions, StateOptions {
  readonly failureBucket?: string;
  readonly of?: StreamFunction;
  readonly json?: true;
}

export function withFailuresOptions(command: Command): Command {
  const named = withTableOptions(command)
    .option('--queue-url <url>', 'the fan-out queue (default: the stack’s)')
    .option('--dead-letter-queue-url <url>', 'the dead-letter queue (default: the stack’s)')
    .option(
      '--failure-bucket <name>',
      'the bucket of failed batches of the function --of (default: the stack’s)',
    )
    .addOption(
      new Option('--of <function>', 'only failed batches, those of this function').choices(streamFunctions),
    );
  return withState(named, 'without a stack or queue: the folder in which `denorm dev` keeps what failed');
}

/**
 * A line to paste: a command of `denorm dlq` on the same failures.
 * @param options as they were given
 */
export function nextDlqCommand(
  words: readonly string[],
  { queueUrl, deadLetterQueueUrl, failureBucket, of, stateDir, ...options }: FailuresOptions,
): string {
  const given = [
    ['--queue-url', queueUrl],
    ['--dead-letter-queue-url', deadLetterQueueUrl],
    ['--failure-bucket', failureBucket],
    ['--of', of],
    ['--state-dir', options.stack === undefined ? stateDir : undefined],
  ].flatMap(([name, value]) => (name === undefined || value === undefined ? [] : [name, value]));
  return nextCommand(['dlq', ...words, ...given], options);
}

/** The options, with the folder of `denorm dev` whether it was named or not; an empty name if the failures are elsewhere. */
type CompleteOptions = FailuresOptions & { readonly stateDir: string };

export interface FoundFailures<Group = DeadLetterGroup> {
  readonly groups: readonly Group[];
  /** About how many more there are. */
  readonly unseen: number;
  /** Whether these are all: no other reader hides some, and the look was not stopped. */
  readonly isWhole: boolean;
}

export interface Failures {
  readonly reader: DeadLetterReader;
  readonly name: string;
  /** They have the endpoint of `denorm dev` if that is meant. */
  readonly options: CompleteOptions;
  readonly services: Services;
  readonly isDev: boolean;
  /** The names of the table's keys. */
  readonly table: KeyNames;
  /** Reads all of it, with a progress bar if this takes long, and warns if there is more than it can receive. */
  readonly look: () => Promise<FoundFailures<HeldGroup>>;
  /** The same, and holds none: for a list. */
  readonly summarize: () => Promise<FoundFailures>;
  readonly interruption: Interruption;
}

/** Afterwards, even if the work fails, makes received messages visible again. */
export async function withFailures(
  given: FailuresOptions,
  work: (failures: Failures) => Promise<void>,
): Promise<void> {
  const named = await orDevEnvironment(given);
  await usingServices(openServices(named), async (services, stopping) => {
    const isDev = services.isDev && named.failureBucket === undefined;
    const options = { ...named, stateDir: isDev ? await devState(given, services) : '' };
    const { reader, name } = sourcesOf(services, options);
    try {
      const { table } = (await project()).config;
      await work({
        ...{ options, services, isDev, table, reader, name, interruption: stopping },
        async look() {
          const deadLetters: FoundDeadLetter[] = [];
          const seen = await lookAtAll(reader, stopping, (one) => void deadLetters.push(one));
          return { ...seen, groups: groupDeadLetters(deadLetters) };
        },
        async summarize() {
          const groups = new DeadLetterGroups();
          const seen = await lookAtAll(reader, stopping, (one) => void groups.add(one));
          return { ...seen, groups: groups.all() };
        },
      });
    } finally {
      const hidden = await reader.close();
      if (hidden > 0)
        warn(
          `could not make ${counted(hidden, 'dead letter')} visible again: SQS does so within five minutes`,
        );
    }
  });
}

/** @throws UsageError `usage.state-dir` if there is none */
async function devState(options: StateOptions, services: Services): Promise<string> {
  const folder = await stateServedAt(options, services);
  if (folder !== undefined && isStateFolder(folder)) return folder;
  const found =
    folder === undefined
      ? `none of the table ${services.tableName} at ${services.endpoint}`
      : `'${folder}', which ${existsSync(folder) ? 'keeps nothing of one table' : 'does not exist'}`;
  throw new UsageError(
    'usage.state-dir',
    `Expected the folder in which \`denorm dev\` keeps what failed, got ${found}: run \`denorm dev\`, or name --table, --endpoint, --state-dir or --stack`,
  );
}

/**
 * Options as given; where neither they nor the stage `dev` name another place, with that stage and the endpoint of `denorm dev`.
 * What the environment names is no place: another may be meant on this machine.
 */
async function orDevEnvironment(given: FailuresOptions): Promise<FailuresOptions> {
  if (!meansDevEnvironment(given)) return given;
  for (const options of [await orDevStage(given), given]) {
    const named = { ...(await stageOf(options)), ...options };
    const { endpoint = namedConnection().endpoint ?? 'http://127.0.0.1:8000' } = named;
    if (meansDevEnvironment(named)) return { ...options, endpoint };
  }
  return given;
}

function sourcesOf(services: Services, options: CompleteOptions): Pick<Failures, 'reader' | 'name'> {
  const { connection, isDev, deadLetterQueueUrl: queueUrl } = services;
  const { stateDir } = options;
  const batches = batchesOf(services, options);
  if (!isDev && queueUrl === undefined && batches.length === 0)
    throw new UsageError(
      'usage.queue',
      'Expected --stack NAME, --dead-letter-queue-url URL, --failure-bucket NAME or a stage with one, got none of them: name what failed',
    );
  const letters = options.of !== undefined ? undefined : isDev ? join(stateDir, 'dead-letters') : queueUrl;
  const names = [...(letters === undefined ? [] : [letters]), ...batches.map(({ name }) => name)];
  const readerOf = (url: string) =>
    isDev ? deadLetterFolder(stateDir) : sqsDeadLetterReader({ client: connection.sqs, queueUrl: url });
  const reader = letters === undefined ? undefined : readerOf(letters);
  return { reader: withFailedBatches(reader, batches), name: names.join(' and ') };
}

function batchesOf(
  { connection, stack, isDev }: Services,
  { failureBucket: bucket, of, stateDir }: CompleteOptions,
): readonly FailedBatches[] {
  if (bucket !== undefined) {
    if (of !== undefined) return [s3FailedBatches({ client: connection.s3, bucket, owner: of })];
    throw new UsageError(
      'usage.of',
      `Expected --failure-bucket with --of ${streamFunctions.join(' or --of ')}, got it alone: name the function whose bucket it is`,
    );
  }
  if (isDev) return [{ ...failedBatchFolder(join(stateDir, 'on-failure', of ?? '')), owner: of }];
  if (stack === undefined) return [];
  return stackFailedBatches(connection.s3, stack).filter(({ owner }) => of === undefined || owner === of);
}

/** Of up to 6 MB each. */
const batchesAtOnce = 8;

export async function lookAtAll(
  reader: DeadLetterReader,
  { stop }: Pick<Interruption, 'stop'>,
  take: (deadLetter: FoundDeadLetter) => void,
): Promise<Omit<FoundFailures, 'groups'>> {
  const batches: FoundDeadLetter[] = [];
  const takeUnlessBatch = (one: FoundDeadLetter) => {
    if (one.batch === undefined) take(one);
    else batches.push(one);
  };
  const unseen = await withProgress({ label: 'receive', unit: 'dead letters' }, (bar) =>
    reader.look(takeUnlessBatch, {
      stop,
      onProgress: (found, about) => bar.update(found, `of about ${about}`),
    }),
  );
  const read = await withProgress({ label: 'read', unit: 'batches', total: batches.length }, (bar) => {
    const limit = pLimit(batchesAtOnce);
    return limit.map(batches, async (batch) => {
      bar.update(batches.length - limit.pendingCount);
      return stop() ? batch : await asRead(batch);
    });
  });
  for (const one of read) if (one !== undefined) take(one);
  if (unseen > 0)
    warn(
      `could not receive about ${counted(unseen, 'dead letter')} more: ${stop() ? 'the command was stopped' : 'another reader holds them, so try again in five minutes'}`,
    );
  return { unseen, isWhole: unseen === 0 && !stop() };
}
