import type { Config } from '../model/config.ts';
import { DenormError } from '../model/errors.ts';
import { isProperties, type Properties, type Resource, type Resources } from './cloudformation.ts';
import { evaluator } from './evaluator.ts';
import { plainFunction } from './plain-functions.ts';
import type { StackModel } from './stack-model.ts';
import { allowedValue } from './stack-parameter.ts';
import { configStack } from './stack-template.ts';

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
      ? plainFunction(id, resource, globals)
      : { [id]: resource },
  );
  return Object.assign({}, ...plain);
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
