import { DenormError } from './errors.ts';
import {
  anIndex,
  aText,
  attributeNames,
  type Field,
  type FieldsOf,
  isObject,
  optional,
  recordOf,
  wrongField,
} from './spec-fields.ts';
import type { TableNames } from './table-names.ts';

const anObject: Field = { expected: 'an object', fits: isObject };

const aList: Field = {
  expected: 'a list, or a function that returns one',
  remedy: 'check its import',
  fits: (value) => Array.isArray(value) || typeof value === 'function',
};

/** Those of `ConfigSpec`. */
export const configFields = {
  table: { ...anObject, remedy: 'check its import' },
  parameters: optional(
    recordOf('a zod schema for each name', (one) => isObject(one) && typeof one['parse'] === 'function'),
  ),
  rules: aList,
  aggregates: optional(aList),
  archives: optional(aList),
  disabled: optional({ ...attributeNames, expected: 'a list of names of rules' }),
  stages: optional(recordOf('an object for each name', isObject)),
};

const tableFields: FieldsOf<TableNames> = {
  pk: aText,
  sk: aText,
  indexes: recordOf(
    "{ name, pk, sk } for each index, and projection: 'ALL' if it holds whole items",
    anIndex.fits,
  ),
  ttl: aText,
  type: aText,
};

/** Those of `Stage`. */
export const stageFields = {
  stack: optional(aText),
  table: optional(aText),
  endpoint: optional(aText),
  region: optional(aText),
  profile: optional(aText),
  queueUrl: optional(aText),
  deadLetterQueueUrl: optional(aText),
  bucket: optional(aText),
  parameters: optional(anObject),
  disabled: optional({ ...attributeNames, expected: 'a list of names of rules' }),
};

/**
 * Refuses a config that its types would refuse: `denorm` and Lambda run it without them.
 * @throws DenormError `config.unknown-field` or `config.invalid-field`
 */
export function checkConfigSpec(spec: { readonly table: unknown; readonly stages?: object }): void {
  refuse('denorm.config.ts', spec, configFields);
  refuse('the table of denorm.config.ts', spec.table, tableFields);
  for (const [name, stage] of Object.entries(spec.stages ?? {}))
    refuse(`the stage ${name} of denorm.config.ts`, stage, stageFields);
}

function refuse(what: string, spec: unknown, fields: Readonly<Record<string, Field>>): void {
  const wrong = wrongField(what, spec, fields);
  if (wrong === undefined) return;
  const code = wrong.is === 'unknown-field' ? 'config.unknown-field' : 'config.invalid-field';
  throw new DenormError(code, wrong.message);
}
