import * as z from 'zod';
import { DenormError } from '../model/basics/errors.ts';
import { settings } from '../model/work/settings.ts';
import type { Properties } from './cloudformation.ts';
import { maxPatterns } from './needs/mapping-filters.ts';
import { evaluator } from './template/evaluator.ts';
import { extraName } from './template/extra-template.ts';

const count = (least: number, most: number) =>
  z
    .union([z.number(), z.string().regex(/^-?\d+$/, 'Expected a whole number')])
    .transform(Number)
    .pipe(z.number().int().min(least).max(most));

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })).max(8);
export const tableSchema = z.object({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .default([]),
  StreamSpecification: z.object({
    StreamViewType: z.enum(['NEW_AND_OLD_IMAGES', 'NEW_IMAGE', 'OLD_IMAGE', 'KEYS_ONLY']),
  }),
  TimeToLiveSpecification: z.object({ AttributeName: z.string() }).optional(),
});

const pattern = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.record(z.string(), z.unknown()));
const mappingSchema = z.object({
  BatchSize: count(1, 10_000).default(100),
  MaximumBatchingWindowInSeconds: count(0, 300).default(0),
  // Without it, Lambda would take every answer as success.
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  FilterCriteria: z.object({ Filters: z.array(z.object({ Pattern: pattern })).max(maxPatterns) }).optional(),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  ParallelizationFactor: count(1, 10).default(1),
  BisectBatchOnFunctionError: z.boolean().default(false),
  MaximumRetryAttempts: count(-1, 10_000).default(-1),
});

const resource = <Schema extends z.ZodType>(properties: Schema) => z.object({ Properties: properties });
const reader = resource(z.object({ Events: z.object({ Stream: resource(mappingSchema) }) }));
const stackSchema = z
  .object({
    Parameters: z.object({
      PageLimit: count(...settings.pageLimit.range),
      RecheckDelaySeconds: count(...settings.recheckDelaySeconds.range),
    }),
    Resources: z.object({
      Table: resource(tableSchema),
      Propagate: reader,
      Archive: reader.optional(),
      FanOut: resource(
        z.object({ Events: z.object({ Messages: resource(z.object({ BatchSize: count(1, 10_000) })) }) }),
      ),
      FanOutQueue: resource(
        z.object({
          VisibilityTimeout: count(0, 43_200),
          RedrivePolicy: z.object({ maxReceiveCount: count(1, 1000) }),
        }),
      ),
    }),
  })
  .transform(({ Parameters, Resources: { Table, Propagate, Archive, FanOut, FanOutQueue } }) => ({
    table: Table.Properties,
    Propagate: Propagate.Properties.Events.Stream.Properties,
    Archive: Archive?.Properties.Events.Stream.Properties,
    FanOut: {
      BatchSize: FanOut.Properties.Events.Messages.Properties.BatchSize,
      VisibilityTimeout: FanOutQueue.Properties.VisibilityTimeout,
      /** Receives after which a message goes to the dead-letter queue. */
      maxReceiveCount: FanOutQueue.Properties.RedrivePolicy.maxReceiveCount,
    },
    pageLimit: Parameters.PageLimit,
    recheckDelaySeconds: Parameters.RecheckDelaySeconds,
  }));

export type TableDefinition = z.output<typeof tableSchema>;
/** The settings of a mapping of the stream. Times are in seconds; -1 means no limit, as in Lambda. */
export type StreamMappingSettings = z.output<typeof mappingSchema>;
/** What of a stack is known without deploying it, for running its functions elsewhere. Times are in seconds. */
export type StackSettings = Readonly<z.output<typeof stackSchema>>;

/** The filter patterns, if any. A record must match at least one. */
export function patternsOf({ FilterCriteria }: Pick<StreamMappingSettings, 'FilterCriteria'>) {
  return FilterCriteria?.Filters.map(({ Pattern }) => Pattern) ?? [];
}

const defaultsSchema = z.record(
  z.string(),
  z.object({ Default: z.union([z.string(), z.number()]).optional() }).optional(),
);

/** @throws DenormError `template.invalid`, which names each error; only a project's own part can cause one */
export function stackSettings(stack: Properties): StackSettings {
  const defaults = Object.entries(defaultsSchema.parse(stack['Parameters'])).map(
    ([name, parameter]) => [name, parameter?.Default ?? ''] as const,
  );
  const values = new Map(defaults);
  const { resolve } = evaluator(stack['Conditions'], values);
  const parsed = stackSchema.safeParse({
    Parameters: Object.fromEntries(values),
    Resources: resolve(stack['Resources']),
  });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new DenormError(
    'template.invalid',
    `Expected the stack with ${extraName} to define table, mappings and queue, but it cannot be used (${errors.join('; ')}): correct it there`,
  );
}
