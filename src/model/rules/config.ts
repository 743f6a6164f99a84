import { DenormError } from '../basics/errors.ts';
import { anything, aText, list, object, optional, record, requirement } from '../basics/requirement.ts';
import { isObject, typeOf } from '../basics/type-of.ts';
import { keyParts, type TableNames } from '../items/table-names.ts';
import type { AnyKind } from '../kinds/kind.ts';
import {
  aKind,
  anIndex,
  type FieldsOf,
  isListOfText,
  keyAttribute,
  requireSpec,
} from '../kinds/spec-fields.ts';
import type { Aggregate } from './aggregate.ts';
import type { ArchiveRule } from './archive-rule.ts';
import { rulesOfKeys } from './index-keys.ts';
import { type Parameters, type ParameterValues, parameterValues } from './parameters.ts';
import { makeRegistry, type Registry } from './registry.ts';
import type { Rule } from './rule.ts';
import { kindsOf } from './rule-checks.ts';

/** A place where the worker runs, for `--stage`. Options of a command take precedence. */
export interface Stage {
  /** A deployed stack: its outputs name table, queues and buckets. */
  readonly stack?: string;
  readonly table?: string;
  /** An endpoint of all services on this machine. Default: AWS. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly profile?: string;
  readonly queueUrl?: string;
  readonly deadLetterQueueUrl?: string;
  readonly bucket?: string;
  /** Values of the parameters, where no stack has them. Default: those of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Names of rules that are switched off, where no stack says so. Default: those of the config. */
  readonly disabled?: readonly string[];
}

export interface ConfigSpec<Schemas extends Parameters = Parameters> {
  /** The names of the table's keys, indexes, TTL and type attributes. */
  readonly table: TableNames;
  /** Default: none. A name is in PascalCase, such as `StatusShards`; functions get it as `STATUS_SHARDS`. */
  readonly parameters?: Schemas;
  /** Kinds that no rule, aggregate or archive rule names: with index keys, or keys that fit another kind too. Default: none. */
  readonly kinds?: readonly AnyKind[];
  readonly rules: readonly Rule[] | ((values: ParameterValues<Schemas>) => readonly Rule[]);
  /** Default: nothing is computed from many items. */
  readonly aggregates?: readonly Aggregate[] | ((values: ParameterValues<Schemas>) => readonly Aggregate[]);
  /** Default: nothing is archived. */
  readonly archives?: readonly ArchiveRule[] | ((values: ParameterValues<Schemas>) => readonly ArchiveRule[]);
  /** Names of rules that are switched off unless a deployment says otherwise. Default: none. */
  readonly disabled?: readonly string[];
  readonly stages?: Readonly<Record<string, Stage>>;
}

const aList = requirement(
  'a list, or a function that returns one',
  (value) => Array.isArray(value) || typeof value === 'function',
  'check its import',
);

const ruleNames = requirement('a list of names of rules', isListOfText);

export const stageFields: FieldsOf<Stage> = {
  stack: optional(aText),
  table: optional(aText),
  endpoint: optional(aText),
  region: optional(aText),
  profile: optional(aText),
  queueUrl: optional(aText),
  deadLetterQueueUrl: optional(aText),
  bucket: optional(aText),
  parameters: optional(record(anything)),
  disabled: optional(ruleNames),
};

export const tableFields: FieldsOf<TableNames> = {
  pk: keyAttribute,
  sk: optional(keyAttribute),
  indexes: record(anIndex),
  ttl: aText,
  type: aText,
};

export const configFields: FieldsOf<ConfigSpec> = {
  table: object(tableFields),
  parameters: optional(
    record(requirement('a zod schema', (one) => isObject(one) && typeof one['parse'] === 'function')),
  ),
  kinds: optional(list('a list of kinds', aKind)),
  rules: aList,
  aggregates: optional(aList),
  archives: optional(aList),
  disabled: optional(ruleNames),
  stages: optional(record(object(stageFields))),
};

export interface RuleSettings {
  /** Values by parameter name; text, as in an environment, is read by the parameter's schema. Default: the schema's. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Names of rules that are switched off. Default: those of the config. */
  readonly disabled?: readonly string[];
}

export interface Config {
  readonly table: TableNames;
  readonly parameters: Parameters;
  readonly disabled: readonly string[];
  readonly stages: Readonly<Record<string, Stage>>;
  /**
   * @throws RuleError for the first invalid rule, or for a disabled name that no rule has
   * @throws DenormError `config.parameter` for an unknown parameter, or a value that its schema rejects; `field.invalid` if
   * `rules`, `aggregates` or `archives` is no list of rules, `config.rules` if its function fails
   */
  registry(settings?: RuleSettings): Registry;
}

/** @throws DenormError `field.unknown` or `field.invalid` where types were not checked */
export function defineConfig<const Schemas extends Parameters = Record<never, never>>(
  spec: ConfigSpec<Schemas>,
): Config {
  requireSpec(object(configFields), spec, { what: 'denorm.config.ts' });
  requireKeys(spec.table);
  const { table, kinds = [], rules, aggregates = [], archives = [], disabled = [], stages = {} } = spec;
  const parameters: Parameters = spec.parameters ?? {};
  for (const name of Object.keys(parameters))
    if (!/^[A-Z][A-Za-z0-9]*$/.test(name))
      throw new DenormError(
        'config.parameter',
        `Expected the name of a parameter in PascalCase, such as 'StatusShards', got '${name}'`,
      );
  return {
    table,
    parameters,
    disabled,
    stages,
    registry(settings = {}) {
      const values = parameterValues(parameters, settings.parameters ?? {}) as ParameterValues<Schemas>;
      const defined = {
        rules: listed('rules', rules, values, 'located'),
        archives: listed('archives', archives, values, 'kinds'),
        aggregates: listed('aggregates', aggregates, values, 'computes'),
      };
      return makeRegistry(
        table,
        [...defined.rules, ...rulesOfKeys(table, new Set([...kindsOf(defined), ...kinds]))],
        defined.archives,
        settings.disabled ?? disabled,
        defined.aggregates,
        kinds,
      );
    },
  };
}

/** As DynamoDB does: an attribute is in a key once, and has one type in all of them. */
function requireKeys(table: TableNames): void {
  for (const { name } of Object.values(table.indexes))
    if (!/^[\w.-]{3,255}$/.test(name))
      throw new DenormError(
        'field.invalid',
        `Expected the name of an index of denorm.config.ts to have 3 to 255 letters, digits, _, - and ., as DynamoDB requires, got '${name}': correct it`,
      );
  const types = new Map<string, string>();
  for (const keys of [table, ...Object.values(table.indexes)])
    for (const [at, { name, type }] of keyParts(keys).all.entries()) {
      const isTwice = keyParts(keys).names.indexOf(name) !== at;
      const other = types.get(name) ?? type;
      types.set(name, type);
      if (!isTwice && other === type) continue;
      const expected = isTwice ? 'be in a key once' : 'have the same type in every key';
      const found = isTwice
        ? `it twice in ${'name' in keys ? keys.name : 'that of the table'}`
        : `${other} and ${type}`;
      throw new DenormError(
        'field.invalid',
        `Expected '${name}' of table of denorm.config.ts to ${expected}, got ${found}: correct the names of the table`,
      );
    }
}

const makers = { rules: 'defineRule', aggregates: 'defineAggregate', archives: 'defineArchive' } as const;

/**
 * A rule that is undefined is mostly one that is misspelt, or imported in a circle.
 * @param mark what only such a rule has
 */
function listed<Some extends object, Values>(
  field: keyof typeof makers,
  given: readonly Some[] | ((values: Values) => readonly Some[]),
  values: Values,
  mark: string,
): readonly Some[] {
  const rules = typeof given === 'function' ? calledFor(field, () => given(values)) : given;
  if (rules instanceof Promise) rules.catch(() => {});
  const isRule = (one: unknown) => isObject(one) && one[mark] !== undefined;
  const each = requirement(`what ${makers[field]} returns`, isRule, 'correct the list and its imports');
  requireSpec(list('a list', each), rules, { what: `${field} of denorm.config.ts` });
  return rules;
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
