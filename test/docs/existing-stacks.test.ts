import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { evaluator } from '../../src/deploy/evaluator.ts';
import { stackModel } from '../../src/deploy/stack-model.ts';
import { environmentName } from '../../src/model/parameters.ts';
import { everything as config } from '../deploy/configs.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const page = read('docs/existing-stacks.md');
const template = stackModel(config.registry({ disabled: [] }), config);
const { Resources } = template;
const defaults = Object.entries(template.Parameters).map(
  ([name, { Default = '' }]) => [name, Default] as const,
);
const { resolve } = evaluator(template.Conditions, new Map(defaults));
const functions = ['Propagate', 'FanOut', 'Archive', 'Sweep', 'Verify'] as const;
type FunctionName = (typeof functions)[number];

/** The rows of the table in a section, without its head. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const lines = (text.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const settings = z.object({ Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }) });
/** The properties of a resource, with the defaults of parameters. */
const properties = (id: string) =>
  z.record(z.string(), z.unknown()).parse(resolve(Resources[id]?.Properties ?? {}));
const shared = resolve(template.Globals['Function']);

describe('the page on stacks of other tools', () => {
  test.each(functions)('names the environment of %s, and nothing else', (name) => {
    const parameters = Object.keys(config.parameters).map(environmentName);
    const variables = Object.assign(
      {},
      ...[shared, properties(name)].map((one) => settings.parse(one).Environment.Variables),
    );
    const wanted = Object.keys(variables).filter(
      (variable) => !parameters.includes(variable) && !variable.startsWith('AWS_ENDPOINT_URL'),
    );
    const rows = rowsOf('Environment').filter(([, of = '']) => of === 'all' || of.split(', ').includes(name));

    expect(rows.map(([variable]) => variable).toSorted()).toEqual(wanted.toSorted());
    for (const [variable = '', , text = ''] of rows) {
      const [, value] = /default (\S+)$/.exec(text) ?? [];
      if (value !== undefined) expect(value, variable).toBe(String(variables[variable]));
    }
  });

  test('bundles functions as the template does', () => {
    const { Metadata } = Resources['Propagate'] ?? expect.fail('no Propagate');
    const { BuildProperties } = buildSchema.parse(Metadata);
    const { Format, Target, MainFields, Minify, Banner } = BuildProperties;
    const text = page.replace(/\s+/g, ' ');

    expect(Minify).toBe(true);
    expect(text).toContain(
      `--bundle --platform=node --target=${Target} --format=${Format} --minify --main-fields=${MainFields} --outfile=propagate.mjs`,
    );
    expect(text).toContain(`\`${Banner[0].slice('js='.length)}\``);
  });

  test.each([
    ['CDK', 0],
    ['Terraform', 1],
  ])('sets every property of the mapping of Propagate in its example of %s', (tool, column) => {
    const [, section = ''] = page.split(`\n## ${tool}\n`);
    const code = (section.split('\n```\n')[0] ?? '').replace(/ +/g, ' ');
    const settings = settingsOf(eventOf('Propagate')).filter(([path]) => !/^Enabled$|\.Type$/.test(path));

    for (const [path, value] of [...settings, ['RecursiveLoop', 'Allow'] as const]) {
      const texts = examples[path] ?? expect.fail(`say how ${tool} sets ${path}`);
      expect(code).toContain(texts[column]?.replace('$', value));
    }
  });
});

const buildSchema = z.object({
  BuildProperties: z.object({
    ...{ Format: z.string(), Target: z.string(), MainFields: z.string(), Minify: z.boolean() },
    Banner: z.tuple([z.string()]),
  }),
});

/** How CDK and Terraform set a property, `$` for its value. */
const examples: Readonly<Record<string, readonly [cdk: string, terraform: string]>> = {
  Stream: ['DynamoEventSource(table,', 'event_source_arn = aws_dynamodb_table.app.stream_arn\n'],
  StartingPosition: ['startingPosition: lambda.StartingPosition.$,', 'starting_position = "$"\n'],
  BatchSize: ['batchSize: $,', 'batch_size = $\n'],
  MaximumBatchingWindowInSeconds: [
    'maxBatchingWindow: Duration.seconds($)',
    'maximum_batching_window_in_seconds = $\n',
  ],
  ParallelizationFactor: ['parallelizationFactor: $,', 'parallelization_factor = $\n'],
  FunctionResponseTypes: ['reportBatchItemFailures: true,', 'function_response_types = ["$"]\n'],
  BisectBatchOnFunctionError: ['bisectBatchOnError: $,', 'bisect_batch_on_function_error = $\n'],
  MaximumRetryAttempts: ['retryAttempts: $,', 'maximum_retry_attempts = $\n'],
  MaximumRecordAgeInSeconds: ['maxRecordAge: Duration.seconds($),', 'maximum_record_age_in_seconds = $\n'],
  'MetricsConfig.Metrics': [
    'metrics: [lambda.MetricType.EVENT_COUNT]',
    'metrics_config { metrics = ["$"] }\n',
  ],
  'DestinationConfig.OnFailure.Destination': [
    'onFailure: new sources.S3OnFailureDestination(failures),',
    'on_failure { destination_arn = aws_s3_bucket.failures.arn }\n',
  ],
  'FilterCriteria.Filters.Pattern': [
    "filters: JSON.parse(readFileSync('filters.json'",
    'jsondecode(file("filters.json"))',
  ],
  RecursiveLoop: ['recursiveLoop: lambda.RecursiveLoop.ALLOW', 'recursive_loop = "$"\n'],
};

/** The properties of a function's one event. */
function eventOf(name: FunctionName): unknown {
  const events = z
    .record(z.string(), z.object({ Properties: z.unknown() }))
    .parse(properties(name)['Events']);
  const [event] = Object.values(events);
  return event?.Properties;
}

/** Each scalar below a value with its path. A reference to a resource is an empty text: the tools name it in their own ways. */
function settingsOf(value: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  if (isReference(value)) return [[path.join('.'), '']];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return [[path.join('.'), value.join(', ')]];
  if (Array.isArray(value)) return value.flatMap((member) => settingsOf(member, path));
  if (typeof value !== 'object' || value === null) return [[path.join('.'), String(value)]];
  return Object.entries(value).flatMap(([name, member]) => settingsOf(member, [...path, name]));
}

function isReference(value: unknown): boolean {
  return ['Ref', 'Fn::GetAtt', 'Fn::Sub'].some(
    (name) => z.strictObject({ [name]: z.unknown() }).safeParse(value).success,
  );
}
