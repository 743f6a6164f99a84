import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { configStack } from '../../src/deploy/stack-template.ts';
import { evaluator } from '../../src/deploy/template/evaluator.ts';
import { terraformModule } from '../../src/deploy/terraform/module.ts';
import { expandedTemplate, type ResourcesFor } from './expanded-template.ts';
import { asParameters, everySwitch, withoutOwnOfSam } from './plain-cases.ts';
import { templates } from './templates.ts';

const bucketParts = 'lifecycle_configuration ownership_controls public_access_block versioning';

/** What Terraform has for each type. */
const types: Readonly<Record<string, string>> = {
  'AWS::CloudWatch::Alarm': 'cloudwatch_metric_alarm',
  'AWS::CloudWatch::Dashboard': 'cloudwatch_dashboard',
  'AWS::Events::Rule': 'cloudwatch_event_rule cloudwatch_event_target',
  'AWS::IAM::Role': 'iam_role iam_role_policy',
  'AWS::Lambda::EventInvokeConfig': 'lambda_function_event_invoke_config',
  'AWS::Lambda::EventSourceMapping': 'lambda_event_source_mapping',
  'AWS::Lambda::Function': 'lambda_function',
  'AWS::Lambda::Permission': 'lambda_permission',
  'AWS::Logs::LogGroup': 'cloudwatch_log_group',
  'AWS::S3::Bucket': `s3_bucket ${`server_side_encryption_configuration ${bucketParts}`.replace(/\w+/g, 's3_bucket_$&')}`,
  'AWS::S3::BucketPolicy': 's3_bucket_policy',
  'AWS::SQS::Queue': 'sqs_queue',
  'AWS::SQS::QueuePolicy': 'sqs_queue_policy',
};

/** Where Terraform has each property of a function, and of a mapping. */
const places: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'AWS::Lambda::Function': {
    Description: 'description',
    Handler: 'handler',
    MemorySize: 'memory_size',
    Role: 'role',
    Tags: 'tags',
    ...{ Architectures: 'architectures', Runtime: 'runtime', Timeout: 'timeout' },
    'Environment.Variables': 'environment.variables',
    'LoggingConfig.ApplicationLogLevel': 'logging_config.application_log_level',
    'LoggingConfig.LogFormat': 'logging_config.log_format',
    'LoggingConfig.LogGroup': 'logging_config.log_group',
    'LoggingConfig.SystemLogLevel': 'logging_config.system_log_level',
    RecursiveLoop: 'recursion.recursive_loop',
  },
  'AWS::Lambda::EventSourceMapping': {
    ...{ BatchSize: 'batch_size', Enabled: 'enabled', EventSourceArn: 'event_source_arn' },
    ...{ FunctionName: 'function_name', StartingPosition: 'starting_position' },
    BisectBatchOnFunctionError: 'bisect_batch_on_function_error',
    'DestinationConfig.OnFailure.Destination': 'destination_config.on_failure.destination_arn',
    'FilterCriteria.Filters': 'filter_criteria.filter',
    FunctionResponseTypes: 'function_response_types',
    MaximumBatchingWindowInSeconds: 'maximum_batching_window_in_seconds',
    MaximumRecordAgeInSeconds: 'maximum_record_age_in_seconds',
    MaximumRetryAttempts: 'maximum_retry_attempts',
    'MetricsConfig.Metrics': 'metrics_config.metrics',
    ParallelizationFactor: 'parallelization_factor',
    'ScalingConfig.MaximumConcurrency': 'scaling_config.maximum_concurrency',
  },
};

const members = z.record(z.string(), z.unknown()).catch({});
const at = (value: unknown, path: string) =>
  path.split('.').reduce((one, name) => members.parse(one)[name], value);
const mapped = (value: object, make: (one: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, one]) => [name, make(one)]));

/** A value of a template whose references are texts, such as `<FanOutQueue.Arn>`, and so are its numbers. */
function inTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'boolean' ? value : String(value);
  if (Array.isArray(value) && at(value[0], 'Pattern') !== undefined)
    return value.map((one) => at(one, 'Pattern'));
  if (Array.isArray(value) && at(value[0], 'Key') !== undefined)
    return Object.fromEntries(value.map((one) => [at(one, 'Key'), at(one, 'Value')]));
  if (Array.isArray(value)) return value.map(inTexts);
  const [ref, attribute, text] = ['Ref', 'Fn::GetAtt', 'Fn::Sub'].map((name) => at(value, name));
  if (ref !== undefined) return `<${ref}>`;
  // That of a group of logs covers what is in it in CloudFormation, but not in Terraform.
  if (Array.isArray(attribute)) return `<${attribute.join('.')}>`.replace(/Log\.Arn>$/, '$&:*');
  return typeof text === 'string' ? text.replace(/\$\{([^}]+)\}/g, '<$1>') : mapped(value, inTexts);
}

const sources: Readonly<Record<string, string>> = {
  'aws_region.current.id': 'AWS::Region',
  'aws_caller_identity.current.account_id': 'AWS::AccountId',
  'aws_partition.current.partition': 'AWS::Partition',
  'aws_partition.current.dns_suffix': 'AWS::URLSuffix',
};

/** A value of a module in the same form, with conditions decided. */
function decided(
  value: unknown,
  values: ReadonlyMap<string, unknown>,
  holds: (name: string) => boolean,
): unknown {
  const again = (one: unknown) => decided(one, values, holds);
  if (Array.isArray(value) && at(value[0], 'pattern') !== undefined)
    return value.map((one) => at(one, 'pattern'));
  if (Array.isArray(value)) return value.map(again).filter((one) => one !== 'null');
  if (typeof value !== 'string')
    return typeof value === 'object' && value !== null ? mapped(value, again) : inTexts(value);
  const known = value
    .replace(/\$\{"(.*)"\}/, '$1')
    .replace(/\bvar\.(\w+)/g, (_, name) =>
      name === 'StackName' ? '<AWS::StackName>' : String(values.get(name)),
    )
    // What is there under a condition is a list of one or none.
    .replace(/join\("", (aws_\w+\.\w+)\[\*\](\.\w+)\)/g, '$1$2')
    .replace(/\bdata\.([\w.]+)/g, (_, name) => `<${sources[name]}>`)
    .replace(/\baws_\w+\.(\w+)\.(\w+)/g, (_, id, name) => `<${name === 'id' ? id : `${id}.Arn`}>`)
    .replace(/\$\{(<[\w.:]+>|[^{}<>"?]*)\}/g, '$1');
  const [, condition = '', ...either] = /^\$\{local\.(\w+) \? (.*) : (.*)\}$/.exec(known) ?? [];
  const chosen = condition === '' ? undefined : either[holds(condition) ? 0 : 1]?.replaceAll('" = ', '": ');
  // What is not quoted in an expression is the value of a variable.
  return chosen === undefined ? known : inTexts(JSON.parse(chosen.replace(/(?<=": )[^"[{][^,}]*/g, '"$&"')));
}

const moduleSchema = z.object({
  locals: z.record(z.string(), z.unknown()),
  resource: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown()))),
});
const { ExistingTableName, ExistingTableStreamArn } = everySwitch;
const cases = templates.flatMap((template) =>
  [{ ExistingTableName, ExistingTableStreamArn }, everySwitch].map((given) => ({ ...template, given })),
);

describe.each(cases)('of $name: the module of Terraform, with $given,', ({ path, config, given }) => {
  const written = JSON.stringify(terraformModule(config, {}, '1.2.3'));
  const { locals, resource } = moduleSchema.parse(JSON.parse(written));
  const { Parameters, Conditions } = configStack(config);
  const values = new Map<string, string | number>([
    ...Object.entries(Parameters).map(([name, { Default = '' }]) => [name, Default] as const),
    ...Object.entries(asParameters(given)),
  ]);
  const { holds } = evaluator(Conditions, values);
  let expanded: ReturnType<ResourcesFor>;
  beforeAll(async () => {
    expanded = (await expandedTemplate(path))(Object.fromEntries(values));
  });

  test('has for each resource of the template what it consists of, and nothing else', () => {
    const wanted = Object.entries(expanded).flatMap(([id, { Type, Properties }]) => [
      ...(types[Type] ?? Type).split(' ').map((type) => `aws_${type}.${id}`),
      ...(Properties['RecursiveLoop'] === undefined ? [] : [`aws_lambda_function_recursion_config.${id}`]),
    ]);
    const made = Object.entries(resource).flatMap(([type, all]) =>
      Object.entries(all)
        .filter(([, { count }]) => count === undefined || decided(count, values, holds) === '1')
        .map(([id]) => `${type}.${id}`),
    );

    expect(made.toSorted()).toEqual(wanted.toSorted());
  });

  test('has every property of its functions and mappings, and nothing else', () => {
    for (const [id, whole] of Object.entries(expanded)) {
      const [names, [type = '']] = [places[whole.Type], (types[whole.Type] ?? '').split(' ')];
      if (names === undefined) continue;
      const { Properties } = withoutOwnOfSam(whole);
      const { depends_on, filename, source_code_hash, count, ...settings } =
        resource[`aws_${type}`]?.[id] ?? {};
      const recursion = resource['aws_lambda_function_recursion_config']?.[id];
      const made = {
        ...settings,
        ...(type === 'lambda_function' && { function_name: undefined, recursion }),
      };
      const used = Object.entries(names).filter(([name]) => at(Properties, name) !== undefined);
      const has = (read: (name: string, place: string) => unknown) =>
        used.map(([name, place]) => [name, read(name, place)]);
      const tops = (index: 0 | 1) => [...new Set(used.map((one) => one[index].split('.')[0]))].toSorted();
      const present = Object.entries(made).flatMap(([name, one]) => (one === undefined ? [] : [name]));

      expect([id, ...has((_, place) => decided(at(made, place), values, holds))]).toEqual([
        ...[id, ...has((name) => inTexts(at(Properties, name)))],
      ]);
      expect([id, tops(0), tops(1)]).toEqual([id, Object.keys(Properties).toSorted(), present.toSorted()]);
    }
  });

  test('allows its roles what the template allows, and nothing else', () => {
    for (const [id, { Type, Properties }] of Object.entries(expanded)) {
      if (Type !== 'AWS::IAM::Role') continue;
      const statements = [Properties['Policies']]
        .flat()
        .flatMap((one) => at(one, 'PolicyDocument.Statement'));
      expect([id, decided(at(locals[id], 'Statement'), values, holds)]).toEqual([id, inTexts(statements)]);
    }
  });
});
