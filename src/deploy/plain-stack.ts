import { DenormError } from '../model/basics/errors.ts';
import type { Config } from '../model/rules/config.ts';
import {
  arnOf,
  isProperties,
  membersOf,
  type Properties,
  type Resource,
  type Resources,
  ref,
} from './cloudformation.ts';
import { allowedValue } from './parameters/stack-parameter.ts';
import type { StackModel } from './stack-model.ts';
import { configStack } from './stack-template.ts';
import { evaluator } from './template/evaluator.ts';
import { merged } from './template/extra-template.ts';

/** A stack for tools that have neither SAM nor parameters: what is left are resources, and references between them. */
export interface PlainStack {
  readonly Resources: Resources;
  readonly Outputs: Properties;
}

/**
 * @param given values of parameters of the stack, those of the config among them. Default: their own
 * @param later names of parameters whose values only a deployment knows. They count as set, and references to them are left
 * @throws DenormError as {@link configStack} does; `config.parameter` for an unknown name, or a value that is not allowed
 */
export function plainStack(
  config: Config,
  given: Readonly<Record<string, unknown>>,
  later: ReadonlySet<string> = new Set(),
): PlainStack {
  const ofConfig = Object.entries(given).filter(([name]) => name in config.parameters);
  const stack = configStack(config, Object.fromEntries(ofConfig));
  const unknown = Object.keys(given).find((name) => !(name in stack.Parameters));
  if (unknown !== undefined)
    throw new DenormError(
      'config.parameter',
      `Expected a parameter of the stack (${Object.keys(stack.Parameters).join(', ')}), got '${unknown}': correct its name`,
    );
  const values = Object.entries(stack.Parameters)
    .filter(([name]) => !later.has(name))
    .map(([name, parameter]) => [name, allowedValue(name, parameter, given[name])] as const);
  const { resolve, holds } = evaluator(stack.Conditions, new Map(values));
  requireRules(stack, holds);
  const resolved = (value: Properties): Properties => {
    const known = resolve(value);
    return isProperties(known) ? known : {};
  };
  const isHere = ({ Condition }: Resource) => Condition === undefined || holds(Condition);
  const resources = Object.entries(withoutSam(stack)).filter(([, resource]) => isHere(resource));
  return {
    Resources: Object.fromEntries(
      resources.map(([id, { Condition: _, ...resource }]) => [
        id,
        { ...resource, Properties: resolved(resource.Properties) },
      ]),
    ),
    Outputs: resolved(stack.Outputs),
  };
}

/** The resources of a stack as CloudFormation makes them. */
export function withoutSam({ Globals, Resources }: StackModel): Resources {
  const { Function: globals } = Globals;
  const plain = Object.entries(Resources).map(([id, resource]) =>
    resource.Type === 'AWS::Serverless::Function' && isProperties(globals)
      ? conditional(resource.Condition, plainFunction(id, resource, globals))
      : { [id]: resource },
  );
  return Object.assign({}, ...plain);
}

function conditional(Condition: string | undefined, resources: Resources): Resources {
  const all = Object.entries(resources).map(([id, one]) => [id, { ...one, Condition }]);
  return Object.fromEntries(all);
}

function requireRules({ Rules }: StackModel, holds: (condition: unknown) => boolean): void {
  for (const { RuleCondition, Assertions } of Object.values(Rules))
    for (const { Assert, AssertDescription } of Assertions)
      if ((RuleCondition === undefined || holds(RuleCondition)) && !holds(Assert))
        throw new DenormError(
          'config.parameter',
          `Expected parameters of the stack that go together, got others: ${AssertDescription}`,
        );
}

/**
 * The resources that CloudFormation makes of a function of the stack, without SAM: the function, what invokes it, and their
 * permissions, under the logical ids that SAM gives them. The function has no `Code`.
 * @param globals what the stack's functions have in common
 */
function plainFunction(
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
        Tags: Object.entries(membersOf(Tags)).map(([Key, Value]) => ({ Key, Value })),
      },
    },
    ...Object.assign(
      {},
      ...Object.entries(membersOf(Events)).map(([name, event]) =>
        invocation(id, `${id}${name}`, membersOf(event)),
      ),
    ),
    ...(EventInvokeConfig !== undefined && {
      [`${id}EventInvokeConfig`]: {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: { FunctionName: ref(id), Qualifier: '$LATEST', ...membersOf(EventInvokeConfig) },
      },
    }),
  };
}

function invocation(of: string, id: string, { Type, Properties }: Properties): Resources {
  const { Stream, Queue, Schedule, State, DestinationConfig, ...settings } = membersOf(Properties);
  if (Type === 'Schedule')
    return {
      [id]: {
        Type: 'AWS::Events::Rule',
        Properties: {
          ...settings,
          ScheduleExpression: Schedule,
          State,
          Targets: [{ Arn: arnOf(of), Id: `${id}LambdaTarget` }],
        },
      },
      [`${id}Permission`]: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          Action: 'lambda:InvokeFunction',
          FunctionName: ref(of),
          Principal: 'events.amazonaws.com',
          SourceArn: arnOf(id),
        },
      },
    };
  const { Destination } = membersOf(membersOf(DestinationConfig)['OnFailure']);
  return {
    [id]: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: Stream ?? Queue,
        FunctionName: ref(of),
        ...settings,
        ...(Destination !== undefined && { DestinationConfig: { OnFailure: { Destination } } }),
      },
    },
  };
}
