import type { Properties, Resource } from '../../src/deploy/cloudformation.ts';
import { plainStack } from '../../src/deploy/plain-stack.ts';
import type { Config } from '../../src/model/rules/config.ts';

/** An existing table, as parameters of a stack. */
export const existing = {
  ExistingTableName: 'app',
  ExistingTableStreamArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/app/stream/2026-01-01T00:00:00.000',
};

/** The resources of a type in a stack as it is deployed with these parameters, by logical id. */
export function ofType(
  type: string,
  config: Config,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, Resource>> {
  const { Resources } = plainStack(config, given);
  return Object.fromEntries(Object.entries(Resources).filter(([, { Type }]) => Type === type));
}

/** The properties of one resource. */
export function propertiesOf(
  id: string,
  config: Config,
  given: Readonly<Record<string, unknown>> = {},
): Properties {
  const { Properties } = plainStack(config, given).Resources[id] ?? {};
  if (Properties === undefined) throw new Error(`Expected the stack to have ${id}`);
  return Properties;
}
