import {
  arnOf,
  isProperties,
  type Properties,
  type Resource,
  type Resources,
  ref,
  type Value,
} from './cloudformation.ts';
import { merged } from './extra-template.ts';

/**
 * The resources that CloudFormation makes of a function of the stack, without SAM: the function, what invokes it, and their
 * permissions, under the logical ids that SAM gives them. The function has no `Code`.
 * @param globals what the stack's functions have in common
 */
export function plainFunction(
  id: string,
  { Properties }: Pick<Resource, 'Properties'>,
  globals: Properties,
): Resources {
  const { Events, EventInvokeConfig, CodeUri: _, Tags, ...properties } = merged(globals, Properties, []);
  return {
    [id]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        ...properties,
        Tags: Object.entries(mapOf(Tags)).map(([Key, Value]) => ({ Key, Value })),
      },
    },
    ...Object.assign(
      {},
      ...Object.entries(mapOf(Events)).map(([name, event]) => invocation(id, `${id}${name}`, mapOf(event))),
    ),
    ...(EventInvokeConfig !== undefined && {
      [`${id}EventInvokeConfig`]: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: { FunctionName: ref(id), Qualifier: '$LATEST', ...mapOf(EventInvokeConfig) },
      },
    }),
  };
}

function invocation(of: string, id: string, { Type, Properties }: Properties): Resources {
  const { Stream, Queue, Schedule, State, DestinationConfig, ...settings } = mapOf(Properties);
  if (Type === 'Schedule')
    return {
      [id]: {
        Type: 'AWS::Events::Rule',
        Properties: {
          ...settings,
          ...{ ScheduleExpression: Schedule, State, Targets: [{ Arn: arnOf(of), Id: `${id}LambdaTarget` }] },
        },
      },
      [`${id}Permission`]: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          ...{ Action: 'lambda:InvokeFunction', FunctionName: ref(of), Principal: 'events.amazonaws.com' },
          SourceArn: arnOf(id),
        },
      },
    };
  const { Destination } = mapOf(mapOf(DestinationConfig)['OnFailure']);
  return {
    [id]: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        ...{ EventSourceArn: Stream ?? Queue, FunctionName: ref(of), ...settings },
        ...(Destination !== undefined && { DestinationConfig: { OnFailure: { Destination } } }),
      },
    },
  };
}

function mapOf(value: Value): Properties {
  return isProperties(value) ? value : {};
}
