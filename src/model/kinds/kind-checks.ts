import type * as z from 'zod/mini';
import { DenormError } from '../basics/errors.ts';
import { plainNumber } from '../items/decimal.ts';
import { indexParts, type KeyPart, keyParts, type TableNames } from '../items/table-names.ts';
import type { KeyPattern } from './key-pattern.ts';
import { type AnyKind, patternText } from './kind.ts';

/**
 * Refuses kinds that do not fit the keys of the table or of its indexes, and two of one name that differ in keys or type: what
 * names a kind would name both.
 * @throws DenormError `kind.key`, `kind.index-type` or `kind.twice`
 */
export function checkKinds(table: TableNames, kinds: Iterable<AnyKind>): void {
  const { pk, sk } = keyParts(table);
  const byName = new Map<string, AnyKind>();
  for (const kind of kinds) {
    const other = byName.get(kind.name) ?? kind;
    if (identity(kind) !== identity(other))
      throw new DenormError(
        'kind.twice',
        `Expected one kind called ${kind.name}, got ${identity(other)} and ${identity(kind)}: rename one`,
      );
    byName.set(kind.name, kind);
    checkPattern(kind, 'pk', kind.pkPattern, pk[0]);
    checkPattern(kind, 'sk', kind.skPattern, sk[0]);
    for (const [name, { type }] of indexParts(table)) checkType(kind, name, type);
  }
}

function identity(kind: AnyKind): string {
  return `${patternText(kind)} (${kind.type ?? 'no type'})`;
}

function checkPattern({ name }: AnyKind, field: 'pk' | 'sk', pattern: KeyPattern, part: KeyPart | undefined) {
  const refuse = (expected: string) =>
    new DenormError(
      'kind.key',
      `Expected ${field} of kind ${name} to be ${expected}, got ${pattern.pattern === '' ? 'none' : `'${pattern.pattern}'`}`,
    );
  if (part === undefined) {
    if (pattern.pattern !== '') throw refuse('left out, because the table has no sort key');
  } else if (part.type === 'N' && !isNumber(pattern))
    throw refuse(
      `a number, '{${part.name}:number}', '{${part.name}:bigint}' or one such as '0', because ${part.name} is one`,
    );
  else if (part.type === 'S' && (pattern.numeric !== undefined || pattern.pattern === ''))
    throw refuse(
      `a pattern such as '${field === 'pk' ? 'ORDER#{order}' : 'METADATA'}', because ${part.name} is text`,
    );
}

function isNumber({ numeric, pattern }: KeyPattern): boolean {
  return numeric !== undefined || plainNumber(pattern) === pattern;
}

/** As far as the schema tells: DynamoDB refuses a whole item for a wrong type of one attribute. */
function checkType({ name: kind, attributes }: AnyKind, name: string, type: 'S' | 'N'): void {
  const schema = attributes.shape[name];
  const stored = schema && storedType(schema);
  if (stored === undefined || stored === type) return;
  throw new DenormError(
    'kind.index-type',
    `Expected '${name}' of kind ${kind} to be ${type === 'S' ? 'text' : 'a number'} in its schema, because it is part of a key of an index: correct the schema, or the type in the names of the table`,
  );
}

/** By zod's names of types. */
const types: Readonly<Record<string, 'S' | 'N'>> = {
  string: 'S',
  enum: 'S',
  template_literal: 'S',
  number: 'N',
  bigint: 'N',
  int: 'N',
};

function storedType(schema: z.core.$ZodType): 'S' | 'N' | undefined {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if ('coerce' in def && def.coerce) return undefined;
  return 'innerType' in def ? storedType(def.innerType) : types[def.type];
}
