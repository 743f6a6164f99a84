import * as z from 'zod/mini';
import { DenormError } from '../basics/errors.ts';

/** Values that differ between deployments, each with its schema, default and description. */
export type Parameters = Readonly<Record<string, z.core.$ZodType>>;

export type ParameterValues<Schemas extends Parameters> = {
  readonly [Name in keyof Schemas]: z.output<Schemas[Name]>;
};

/** `STATUS_SHARDS` for `StatusShards`. */
export function environmentName(parameter: string): string {
  return parameter.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toUpperCase();
}

/** @throws DenormError `config.parameter` for an unknown parameter, or a value that its schema rejects */
export function parameterValues(
  schemas: Parameters,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(schemas);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new DenormError(
      'config.parameter',
      `Expected a parameter of denorm.config.ts (${names.join(', ') || 'it has none'}), got '${unknown}'`,
    );
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const parsed = read(schema, given[name]);
      if (parsed.success) return [name, parsed.data];
      const why = parsed.error.issues.map(({ message }) => message).join('; ');
      throw new DenormError(
        'config.parameter',
        given[name] === undefined
          ? `Expected a value of the parameter ${name}, which has no default: give its schema one, or name a value in the stage or with --parameter ${name}=…`
          : `Expected a value of the parameter ${name} that its schema accepts, got another: ${why}`,
      );
    }),
  );
}

/** As given, if the schema takes it, otherwise, of text, the number or boolean that it is. */
function read(schema: z.core.$ZodType, value: unknown) {
  const asGiven = z.safeParse(schema, value);
  if (asGiven.success || typeof value !== 'string' || value.trim() === '') return asGiven;
  const meant = value === 'true' ? true : value === 'false' ? false : Number(value);
  return Number.isNaN(meant) ? asGiven : z.safeParse(schema, meant);
}
