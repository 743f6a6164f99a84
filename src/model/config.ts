import * as z from 'zod';
import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import { checkConfigSpec, configFields, stageFields } from './config-fields.ts';
import { DenormError } from './errors.ts';
import { makeRegistry, type Registry } from './registry.ts';
import type { Rule } from './rule.ts';
import type { FieldsOf } from './spec-fields.ts';
import type { TableNames } from './table-names.ts';
import { typeOf } from './type-of.ts';

/** Parameters of the application: values that differ between deployments, each with its schema, default and description. */
export type Parameters = Readonly<Record<string, z.ZodType>>;

/** The values that rules get. */
export type ParameterValues<Schemas extends Parameters> = {
  readonly [Name in keyof Schemas]: z.output<Schemas[Name]>;
};

/**
 * A place where the worker runs, for `--stage`: a deployed stack, or a table with what is beside it. Options of a command
 * take precedence.
 */
export interface Stage {
  /** A deployed stack: its outputs name table, queues and buckets. */
  readonly stack?: string;
  readonly table?: string;
  /** An endpoint of all services on this machine. Default: AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  /** URL of the fan-out queue, where no stack names it. */
  readonly queueUrl?: string;
  /** URL of the dead-letter queue, where no stack names it. */
  readonly deadLetterQueueUrl?: string;
  /** The archive bucket, where no stack names it. */
  readonly bucket?: string;
  /** Values of the parameters, where no stack has them. Default: those of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Names of rules that are switched off, where no stack says so. Default: those of the config. */
  readonly disabled?: readonly string[];
}

/** A project, as its author writes it in `denorm.config.ts`. */
export interface ConfigSpec<Schemas extends Parameters = Parameters> {
  /** The names of the table's keys, indexes, TTL and type attributes. */
  readonly table: TableNames;
  /** Default: none. A name is in PascalCase, such as `StatusShards`; functions get it as `STATUS_SHARDS`. */
  readonly parameters?: Schemas;
  readonly rules: readonly Rule[] | ((values: ParameterValues<Schemas>) => readonly Rule[]);
  /** Default: nothing is computed from many items. */
  readonly aggregates?: readonly Aggregate[] | ((values: ParameterValues<Schemas>) => readonly Aggregate[]);
  /** Default: nothing is archived. */
  readonly archives?: readonly ArchiveRule[] | ((values: ParameterValues<Schemas>) => readonly ArchiveRule[]);
  /** Names of rules that are switched off unless a deployment says otherwise. Default: none. */
  readonly disabled?: readonly string[];
  /** Default: none. */
  readonly stages?: Readonly<Record<string, Stage>>;
}

// The compiler keeps both complete.
configFields satisfies FieldsOf<ConfigSpec>;
stageFields satisfies FieldsOf<Stage>;

/** What the rules depend on. */
export interface RuleSettings {
  /** Values by parameter name; text, as in an environment, is read by the parameter's schema. Default: the schema's. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Names of rules that are switched off. Default: those of the config. */
  readonly disabled?: readonly string[];
}

/** A project: what every function and every command is given. */
export interface Config {
  readonly table: TableNames;
  readonly parameters: Parameters;
  readonly disabled: readonly string[];
  readonly stages: Readonly<Record<string, Stage>>;
  /**
   * The checked rules.
   * @throws RuleError for the first invalid rule, or for a disabled name that no rule has
   * @throws DenormError `config.parameter` for an unknown parameter, or a value that its schema rejects; `config.rules` if
   * `rules`, `aggregates` or `archives` is no list of rules, or a function that fails
   */
  registry(settings?: RuleSettings): Registry;
}

/**
 * Defines a project. `denorm.config.ts` exports what this returns as its default.
 * @throws DenormError `config.unknown-field` or `config.invalid-field` where types were not checked
 */
export function defineConfig<const Schemas extends Parameters = Record<never, never>>(
  spec: ConfigSpec<Schemas>,
): Config {
  checkConfigSpec(spec);
  const { table, rules, aggregates = [], archives = [], disabled = [], stages = {} } = spec;
  const parameters: Parameters = spec.parameters ?? {};
  for (const name of Object.keys(parameters))
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter in PascalCase, such as 'StatusShards', got '${name}'`,
      );
  return {
    ...{ table, parameters, disabled, stages },
    registry(settings = {}) {
      // The cast is safe: each value is the output of the schema of that name.
      const values = parameterValues(parameters, settings.parameters ?? {}) as ParameterValues<Schemas>;
      return makeRegistry(
        table,
        listed('rules', rules, values, ({ located }) => located),
        listed('archives', archives, values, ({ kinds }) => kinds),
        settings.disabled ?? disabled,
        listed('aggregates', aggregates, values, ({ computes }) => computes),
      );
    },
  };
}

const makers = { rules: 'defineRule', aggregates: 'defineAggregate', archives: 'defineArchive' } as const;

/**
 * The list that the config gives for these values.
 * @param mark what only such a rule has
 * @throws DenormError `config.rules` if it gives something else: a rule that is undefined is mostly one that is misspelt,
 * or imported in a circle
 */
function listed<Some extends object, Values>(
  field: keyof typeof makers,
  given: readonly Some[] | ((values: Values) => readonly Some[]),
  values: Values,
  mark: (rule: Partial<Some>) => unknown,
): readonly Some[] {
  const list: unknown = typeof given === 'function' ? calledFor(field, () => given(values)) : given;
  if (list instanceof Promise) list.catch(() => {});
  const wrong = !Array.isArray(list)
    ? typeOf(list)
    : list.flatMap((one, index) =>
        typeof one === 'object' && one !== null && mark(one) !== undefined
          ? []
          : [`${typeOf(one)} at position ${index + 1}`],
      )[0];
  if (wrong === undefined) return list as readonly Some[];
  throw new DenormError(
    'config.rules',
    `Expected ${field} of denorm.config.ts to be a list of what ${makers[field]} returns, got ${wrong}: correct the list and its imports`,
  );
}

function calledFor<List>(field: string, run: () => List): List {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof DenormError) throw cause;
    const thrown = cause instanceof Error ? `${cause.name}: ${cause.message}` : typeOf(cause);
    throw new DenormError(
      'config.rules',
      `Expected the function ${field} of denorm.config.ts to return a list, but it threw ${thrown}: correct it`,
      { cause },
    );
  }
}

/** The environment variable in which a function gets a parameter: `STATUS_SHARDS` for `StatusShards`. */
export function environmentName(parameter: string): string {
  return parameter.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toUpperCase();
}

/**
 * The value of each parameter: the given one, read by its schema, otherwise the schema's default.
 * @throws DenormError `config.parameter` for an unknown parameter, or a value that its schema rejects
 */
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

/** The value, if the schema takes it, otherwise, of text, the number or boolean that it is. */
function read(schema: z.ZodType, value: unknown) {
  const asGiven = z.safeParse(schema, value);
  if (asGiven.success || typeof value !== 'string' || value.trim() === '') return asGiven;
  const meant = value === 'true' ? true : value === 'false' ? false : Number(value);
  return Number.isNaN(meant) ? asGiven : z.safeParse(schema, meant);
}
