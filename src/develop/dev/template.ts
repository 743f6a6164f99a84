import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { maxPatterns } from '../../deploy/mapping-filters.ts';
import { LocalError, messageOf } from './errors.ts';
import { isRecord } from './is-record.ts';
import { type ParameterValue, parseTemplate, resolver, type Template } from './template-values.ts';

const count = z
  .union([z.number(), z.string().regex(/^-?\d+$/, 'Expected a whole number')])
  .transform(Number)
  .pipe(z.number().int());
const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((value) => value === true || value === 'true');
const keySchema = z
  .array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))
  .min(1)
  .max(2, 'Expected one partition key and one sort key: several attributes for a key are not supported');

const tableSchema = z.object({
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

const pattern = z.object({ Pattern: z.string().transform(parsePattern) });

const tooManyFilters = `Expected at most ${maxPatterns} filters, which is what a mapping takes: merge some into broader ones`;

const mappingSchema = z.object({
  Enabled: flag.default(true),
  BatchSize: count.pipe(z.number().min(1).max(10_000)).default(100),
  MaximumBatchingWindowInSeconds: count.pipe(z.number().min(0).max(300)).default(0),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  FilterCriteria: z.object({ Filters: z.array(pattern).max(maxPatterns, tooManyFilters) }).optional(),
});

const streamMappingSchema = mappingSchema.extend({
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  ParallelizationFactor: count.pipe(z.number().min(1).max(10)).default(1),
  BisectBatchOnFunctionError: flag.default(false),
  MaximumRetryAttempts: count.pipe(z.number().min(-1).max(10_000)).default(-1),
  MaximumRecordAgeInSeconds: count.pipe(z.number().min(-1).max(604_800)).default(-1),
});

const queueMappingSchema = mappingSchema.extend({
  Queue: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});

const queueSchema = z.object({
  VisibilityTimeout: count.default(30),
  DelaySeconds: count.default(0),
  RedrivePolicy: z.object({ maxReceiveCount: count }),
});

const functionSchema = z.object({
  Timeout: count.pipe(z.number().min(1).max(900)).default(3),
  Events: z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() })),
});

/** The table as the template defines it, in the format of CreateTable. */
export type TableDefinition = z.infer<typeof tableSchema>;

/**
 * The settings of a function's event source mapping. Times are in seconds; -1 means no limit, as in Lambda.
 */
export type StreamMappingSettings = z.infer<typeof streamMappingSchema>;

/** The filter patterns, if any. A record must match at least one. */
export function patternsOf({ FilterCriteria }: Pick<StreamMappingSettings, 'FilterCriteria'>) {
  return FilterCriteria?.Filters.map(({ Pattern }) => Pattern) ?? [];
}

export interface StreamFunctionSettings {
  readonly timeoutSeconds: number;
  readonly mapping: StreamMappingSettings;
}

export interface QueueFunctionSettings {
  readonly timeoutSeconds: number;
  readonly mapping: z.infer<typeof queueMappingSchema>;
  readonly visibilityTimeoutSeconds: number;
  readonly delaySeconds: number;
  /** Receives after which a message goes to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

/** Settings of the template for local use. */
export interface TemplateSettings {
  readonly table: TableDefinition;
  readonly functions: {
    readonly Propagate: StreamFunctionSettings;
    /** Undefined if nothing is archived. */
    readonly Archive: StreamFunctionSettings | undefined;
    readonly FanOut: QueueFunctionSettings;
  };
  /** Parameters with a default, or with a value in `parameters` of {@link templateSettings}. */
  readonly parameters: ReadonlyMap<string, ParameterValue>;
}

/** Reads a template's file, as {@link templateSettings} does its text. */
export function readTemplate(
  path: string,
  parameters: Readonly<Record<string, ParameterValue>> = {},
): TemplateSettings {
  return templateSettings(readFileSync(path, 'utf8'), path, parameters);
}

/**
 * Reads the settings of table, mappings, functions and queue from a SAM template. Evaluates conditions with
 * the parameters' defaults.
 * @param path names the template in errors
 * @param parameters values that replace defaults
 * @throws LocalError `template.invalid`, which names each error
 */
export function templateSettings(
  text: string,
  path: string,
  parameters: Readonly<Record<string, ParameterValue>> = {},
): TemplateSettings {
  try {
    const template = parseTemplate(text);
    return settingsOf(template, new Map([...defaults(template), ...Object.entries(parameters)]));
  } catch (error) {
    throw invalid(path, error);
  }
}

function settingsOf(template: Template, parameters: ReadonlyMap<string, ParameterValue>): TemplateSettings {
  const { resolve } = resolver(template, parameters);

  const properties = (id: string, type: string): unknown => {
    const resource = template.Resources[id];
    if (resource?.Type !== type) throw new Error(`expected a resource ${id} of type ${type}`);
    const globals = type === 'AWS::Serverless::Function' ? template.Globals.Function : {};
    return resolve({ ...globals, ...resource.Properties });
  };

  const functionWithEvent = (id: string, eventType: string) => {
    const { Timeout, Events } = within(id, functionSchema, properties(id, 'AWS::Serverless::Function'));
    const event = Object.values(Events).find(({ Type }) => Type === eventType);
    if (event === undefined) throw new Error(`expected an event of type ${eventType} on ${id}`);
    return { timeoutSeconds: Timeout, event: event.Properties };
  };

  const streamFunction = (id: string): StreamFunctionSettings => {
    const { timeoutSeconds, event } = functionWithEvent(id, 'DynamoDB');
    return { timeoutSeconds, mapping: within(id, streamMappingSchema, event) };
  };

  const queueFunction = (id: string): QueueFunctionSettings => {
    const { timeoutSeconds, event } = functionWithEvent(id, 'SQS');
    const mapping = within(id, queueMappingSchema, event);
    const queueId = mapping.Queue['Fn::GetAtt'][0];
    const queue = within(queueId, queueSchema, properties(queueId, 'AWS::SQS::Queue'));
    return {
      timeoutSeconds,
      mapping,
      visibilityTimeoutSeconds: queue.VisibilityTimeout,
      delaySeconds: queue.DelaySeconds,
      maxReceiveCount: queue.RedrivePolicy.maxReceiveCount,
    };
  };

  return {
    table: within('Table', tableSchema, properties('Table', 'AWS::DynamoDB::Table')),
    functions: {
      Propagate: streamFunction('Propagate'),
      Archive: template.Resources['Archive'] === undefined ? undefined : streamFunction('Archive'),
      FanOut: queueFunction('FanOut'),
    },
    parameters,
  };
}

function defaults(template: Template): [string, ParameterValue][] {
  return Object.entries(template.Parameters).flatMap(([name, { Default }]) =>
    Default === undefined ? [] : [[name, Default]],
  );
}

function within<Schema extends z.ZodType>(id: string, schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const locations = parsed.error.issues.map(({ path, message }) => `${[id, ...path].join('.')}: ${message}`);
  throw new Error(locations.join('; '));
}

function invalid(path: string, error: unknown): LocalError {
  return new LocalError(
    'template.invalid',
    `Expected ${path} to define table, functions, mappings and queue, but it cannot be used ` +
      `(${messageOf(error)}): correct it there.`,
    error,
  );
}

function parsePattern(text: string, context: z.RefinementCtx): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Reported below, as for JSON of another type.
  }
  context.addIssue({ code: 'custom', message: 'Expected a JSON object' });
  return z.NEVER;
}
