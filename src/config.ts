import * as z from 'zod';
import { storageClasses } from './domain/archive-rule.ts';
import { DenormError } from './domain/errors.ts';

const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

/** A whole number as the environment writes it. */
function whole(least: number, most: number, standard: number) {
  return z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .default(String(standard))
    .transform(Number)
    .pipe(z.number().min(least).max(most));
}

const onEveryFunction = {
  TABLE_NAME: z.string().min(3),
  DEAD_LETTER_QUEUE_URL: z.url(),
  /** Rules that are switched off, separated by commas. */
  DISABLED_RULES: list,
  /** `true` where the table is a replica of a global table, whose expiries carry no service identity. */
  GLOBAL_TABLE_REPLICA: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
};

const ofTurns = z.object({
  ...onEveryFunction,
  FAN_OUT_QUEUE_URL: z.url(),
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** Copies that one delivery visits before the queue takes the rest, 1 to 1,000. */
  PAGE_LIMIT: whole(1, 1000, 500),
  /** Seconds until a fan-out over an index is looked at again, 0 to 900: the longest delay of a queue. */
  SETTLE_DELAY_SECONDS: whole(0, 900, 60),
});

const ofArchiving = z.object({
  ...onEveryFunction,
  ARCHIVE_BUCKET: z.string().min(3),
  ARCHIVE_STORAGE_CLASS: z.enum(storageClasses).default('GLACIER'),
});

const ofSweeping = z.object({
  ...ofArchiving.shape,
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** Read units a second, 1 to 40,000: the most that a table takes at first, on demand. */
  SWEEP_READ_UNITS: whole(1, 40_000, 50),
  /** Days after which what is done with has aged, 1 to 36,500. */
  SWEEP_AFTER_DAYS: whole(1, 36_500, 90),
});

const ofVerifying = z.object({
  TABLE_NAME: onEveryFunction.TABLE_NAME,
  DISABLED_RULES: list,
  /** Partitions of GSI2 for each order status, 1 to 100. */
  STATUS_SHARDS: whole(1, 100, 1),
  /** The share of the table that one run reads, in percent, 0.01 to 100. */
  VERIFY_SAMPLE_PERCENT: z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'a number')
    .default('1')
    .transform(Number)
    .pipe(z.number().min(0.01).max(100)),
  /** Read units a second, 1 to 40,000: the most that a table takes at first, on demand. */
  VERIFY_READ_UNITS: whole(1, 40_000, 50),
});

export type TurnConfig = Readonly<z.output<typeof ofTurns>>;
export type ArchiveConfig = Readonly<z.output<typeof ofArchiving>>;
export type SweepConfig = Readonly<z.output<typeof ofSweeping>>;
export type VerifyConfig = Readonly<z.output<typeof ofVerifying>>;

/** Settings of the functions that take turns: Propagate and FanOut. */
export function turnConfig(environment: NodeJS.ProcessEnv = process.env): TurnConfig {
  return read(ofTurns, environment);
}

/** Settings of the function that archives. */
export function archiveConfig(environment: NodeJS.ProcessEnv = process.env): ArchiveConfig {
  return read(ofArchiving, environment);
}

/** Settings of the function that sweeps. */
export function sweepConfig(environment: NodeJS.ProcessEnv = process.env): SweepConfig {
  return read(ofSweeping, environment);
}

/** Settings of the function that verifies. */
export function verifyConfig(environment: NodeJS.ProcessEnv = process.env): VerifyConfig {
  return read(ofVerifying, environment);
}

/** Whether the environment itself says who asks AWS: then its word goes before everything that could be assumed. */
export function namesCredentials(environment: NodeJS.ProcessEnv = process.env): boolean {
  return ['AWS_ACCESS_KEY_ID', 'AWS_PROFILE', 'AWS_WEB_IDENTITY_TOKEN_FILE'].some(
    (name) => (environment[name] ?? '') !== '',
  );
}

/** The process that started this one and must not be outlived, if it said so; undefined where nothing did. */
export function launcherPid(environment: NodeJS.ProcessEnv = process.env): number | undefined {
  const pid = Number(environment['DENORM_PARENT_PID']);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/**
 * Parses and freezes what the environment says.
 * @throws DenormError `config.invalid` naming everything that is missing or wrong, at once
 */
function read<Shape extends z.ZodObject>(
  schema: Shape,
  environment: NodeJS.ProcessEnv,
): Readonly<z.output<Shape>> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return Object.freeze(parsed.data);
  const wrong = parsed.error.issues.map(
    ({ path, message }) =>
      `${path.join('.')}: ${environment[path.join('.')] === undefined ? 'missing' : message}`,
  );
  throw new DenormError(
    'config.invalid',
    `Expected the function's environment to be complete, found ${wrong.length} wrong: ${wrong.join('; ')}`,
  );
}
