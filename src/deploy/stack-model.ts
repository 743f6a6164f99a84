import type * as z from 'zod';
import type { Registry } from '../model/rules/registry.ts';
import type { FunctionName } from '../model/work/settings.ts';
import {
  and,
  comments,
  equals,
  not,
  or,
  type Properties,
  type Resources,
  ref,
  sub,
} from './cloudformation.ts';
import { type Usage, usageOf } from './needs/usage.ts';
import { type ParameterSections, stackParameters } from './parameters/stack-parameters.ts';
import { alarms } from './resources/alarms.ts';
import { dashboard } from './resources/dashboard.ts';
import { functionGlobals, functionsOf, lambdaFunction, logGroup } from './resources/functions.ts';
import { role } from './resources/roles.ts';
import { buckets, queues } from './resources/storage.ts';
import { streamArn, table, tableName } from './resources/table.ts';

/** A stack as plain objects, in the long form of a SAM template. */
export type StackModel = Readonly<Record<Section, Properties>> & {
  readonly AWSTemplateFormatVersion: string;
  readonly Transform: string;
  readonly Description: string;
  readonly Parameters: ParameterSections['parameters'];
  readonly Rules: Readonly<Record<string, StackRule>>;
  readonly Resources: Resources;
};
type Section = 'Metadata' | 'Conditions' | 'Globals' | 'Outputs';

/** What CloudFormation refuses before it creates anything. */
type StackRule = {
  readonly RuleCondition?: Properties;
  readonly Assertions: readonly { readonly Assert: Properties; readonly AssertDescription: string }[];
};

export interface StackConfig {
  readonly parameters: Readonly<Record<string, z.core.$ZodType>>;
  /** Names of rules that are switched off unless a deployment says otherwise. */
  readonly disabled: readonly string[];
}

/** The stack that these rules need, disabled ones included: a deployment may switch them on. */
export function stackModel(
  registry: Registry,
  { parameters: application, disabled }: StackConfig = { parameters: {}, disabled: [] },
): StackModel {
  const usage = usageOf(registry);
  const { archives } = usage;
  const functions = functionsOf(usage);
  const { parameters, groups } = stackParameters(usage, application, disabled);
  const each = <Value>(suffix: string, make: (name: FunctionName) => Value) =>
    Object.fromEntries(functions.map((name) => [`${name}${suffix}`, make(name)]));
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Transform: 'AWS::Serverless-2016-10-31',
    Description: usage.propagates
      ? `Keeps denormalized copies in a DynamoDB table equal to what their root says, driven by the table's stream${archives ? ', and archives items before they expire' : ''}.`
      : "Archives items of a DynamoDB table before they expire, driven by the table's stream.",
    Metadata: {
      'cfn-lint': {
        config: {
          ignore_checks: ['W1030'],
          [comments]: {
            ignore_checks:
              "W1030 takes a parameter's default for its value wherever it is used: ExistingTableStreamArn is empty by default, and\nis used only under a condition that says it is not.",
          },
        },
      },
      'AWS::CloudFormation::Interface': { ParameterGroups: groups },
    },
    Parameters: parameters,
    Rules: rules(usage),
    Conditions: conditions(usage),
    Globals: { Function: functionGlobals(Object.keys(application)) },
    Resources: {
      ...each('', (name) => lambdaFunction(registry, name)),
      ...each('Role', (name) => role(name, usage)),
      ...each('Log', logGroup),
      Table: table(registry.table),
      ...queues(),
      ...buckets(archives),
      ...alarms(functions),
      Dashboard: dashboard(functions),
    },
    Outputs: outputs(functions),
  };
}

const isSet = (parameter: string) => not(equals(ref(parameter), ''));
const isOn = (parameter: string) => equals(ref(parameter), 'true');

function rules({ archives, sweeps }: Usage): StackModel['Rules'] {
  const existing = ['ExistingTableName', 'ExistingTableStreamArn'] as const;
  const rule = (Assert: Properties, AssertDescription: string) => ({
    Assertions: [{ Assert, AssertDescription }],
  });
  return {
    ExistingTable: rule(
      or(and(...existing.map((name) => equals(ref(name), ''))), and(...existing.map(isSet))),
      'Set both ExistingTableName and ExistingTableStreamArn, or neither',
    ),
    // Source: Lambda Developer Guide, "Using Lambda with DynamoDB", simultaneous readers of a shard.
    ...(archives && {
      ArchiveOrPropagateOnReplica: {
        RuleCondition: isOn('GlobalTableReplica'),
        ...rule(
          or(equals(ref('ArchiveEnabled'), 'false'), equals(ref('PropagateEnabled'), 'false')),
          'GlobalTableReplica allows one reader of the stream, so set ArchiveEnabled or PropagateEnabled to false',
        ),
      },
    }),
    ...(sweeps && {
      SweepNeedsArchive: {
        RuleCondition: isOn('SweepEnabled'),
        ...rule(
          isOn('ArchiveEnabled'),
          'SweepEnabled requires ArchiveEnabled, because swept items may change before they expire',
        ),
      },
    }),
  };
}

function conditions({ archives, sweeps, beats, archive }: Usage): Properties {
  return {
    MakesTable: equals(ref('ExistingTableName'), ''),
    HasTableKey: isSet('TableKmsKeyArn'),
    HasStackKey: isSet('StackKmsKeyArn'),
    Propagates: isOn('PropagateEnabled'),
    ...(archives && { Archives: isOn('ArchiveEnabled') }),
    ...(sweeps && { Sweeps: isOn('SweepEnabled') }),
    Verifies: isOn('VerifyEnabled'),
    ...(beats && { Beats: isOn('HeartbeatEnabled') }),
    ...(archive.erases && { ErasesArchive: isOn('ArchiveErase') }),
    HasAlarmTopic: isSet('AlarmTopicArn'),
  };
}

/** Of Heartbeat there is none: a deployment may leave it out. */
const outputsOf: Readonly<Partial<Record<FunctionName, string>>> = {
  Propagate: 'propagates',
  Archive: 'archives',
  FanOut: 'reads the fan-out queue',
  Sweep: 'sweeps',
  Verify: 'compares copies with their roots',
};

function outputs(functions: readonly FunctionName[]): Properties {
  const archives = functions.includes('Archive');
  const output = (Description: string, Value: Properties) => ({ Description, Value });
  const failures = (name: FunctionName) =>
    output(`Bucket of records of ${name} that Lambda gave up`, ref(`${name}FailureBucket`));
  const dashboards = `console.aws.amazon.com/cloudwatch/home?region=\${AWS::Region}#dashboards:name=\${Dashboard}`;
  return {
    TableName: output('Name of the table', tableName),
    StreamArn: output("ARN of the table's stream", streamArn),
    ...Object.fromEntries(
      functions
        .filter((name) => name in outputsOf)
        .map((name) => [
          `${name}Function`,
          output(`Name of the function that ${outputsOf[name]}`, ref(name)),
        ]),
    ),
    FanOutQueueUrl: output('URL of the fan-out queue', ref('FanOutQueue')),
    DeadLetterQueueUrl: output('URL of the dead-letter queue', ref('DeadLetterQueue')),
    ...(archives && { ArchiveBucketName: output('Bucket of archived items', ref('ArchiveBucket')) }),
    PropagateFailureBucketName: failures('Propagate'),
    ...(archives && { ArchiveFailureBucketName: failures('Archive') }),
    DashboardUrl: output('URL of the dashboard', sub(`https://\${AWS::Region}.${dashboards}`)),
  };
}
