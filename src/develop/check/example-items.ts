import * as z from 'zod';
import { type AttributeValue, friendly } from '../../model/attribute-value.ts';
import type { Item, ItemKey } from '../../model/item.ts';
import type { KeyPattern } from '../../model/key-pattern.ts';
import { type AnyKind, type Ids, idNames, keyWith } from '../../model/kind.ts';
import type { TableNames } from '../../model/table-names.ts';
import { itemOf } from '../testing/plain-values.ts';
import { poolOf } from '../testing/simulation/project/value-pool.ts';

/**
 * Ids that fit a kind's keys: letters and digits, others for each seed.
 * @returns undefined if no simple text fits its patterns
 */
export function exampleIds(kind: AnyKind, seed: string): Ids | undefined {
  const texts = [(name: string) => `${name}${seed}`, (name: string) => `${[...name].length}0${seed.length}`];
  for (const text of texts) {
    const ids = Object.fromEntries(idNames(kind).map((name) => [name, text(name)]));
    if (keyWith(kind, ids) !== undefined) return ids;
  }
  return undefined;
}

/** The key that has these ids. */
export function exampleKey(kind: AnyKind, seed: string): ItemKey | undefined {
  const ids = exampleIds(kind, seed);
  return ids && keyWith(kind, ids);
}

/**
 * An item of a kind at this key. It lacks an attribute whose schema accepts no value that could be guessed; a function
 * that reads such an attribute cannot be tried.
 */
export function exampleItem(table: TableNames, kind: AnyKind, key: ItemKey, seed: string): Item {
  const attributes = Object.entries(kind.attributes.shape).flatMap(([name, schema]) => {
    const fits = (one: AttributeValue) => z.safeParse(schema, friendly(one)).success;
    const value = candidates(name, seed).find(fits) ?? wordsOf(schema).find(fits);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(attributes),
    ...ownOf(table, kind, key),
  };
}

function ownOf(table: TableNames, kind: AnyKind, key: ItemKey): Item {
  return {
    ...(kind.type !== undefined && { [table.type]: { S: kind.type } }),
    [table.pk]: { S: key.pk },
    [table.sk]: { S: key.sk },
  };
}

/**
 * Items of a kind, each with another key and other values: the kind's examples, or values that its schema accepts. They lack
 * an attribute of which no value could be guessed.
 */
export function exampleItems(table: TableNames, kind: AnyKind): readonly Item[] {
  const pools = Object.entries(kind.attributes.shape).map(([name, schema]) => {
    const examples = kind.examples.map((example) => example[name]);
    return [name, poolOf(schema, examples)] as const;
  });
  return ['A', 'BB', 'CCC', 'DDDD', 'EEEEE', 'FFFFFF'].flatMap((seed, index): Item[] => {
    const key = exampleKey(kind, seed);
    if (key === undefined) return [];
    const values = Object.fromEntries(pools.map(([name, pool]) => [name, pool[index % pool.length]]));
    return [{ ...itemOf(values), ...ownOf(table, kind, key) }];
  });
}

function candidates(name: string, seed: string): AttributeValue[] {
  const digit = String(seed.length);
  const texts = [
    `${name.replace(/\W/g, '')}${seed}`,
    `${name}${seed}`.padEnd(48, 'x'),
    `2026-01-0${digit}T00:00:00.000Z`,
    `2026-01-0${digit}`,
    `00000000-0000-4000-8000-00000000000${digit}`,
    `${seed}@example.com`,
    `https://example.com/${seed}`,
  ];
  const numbers = [digit, `${1_767_225_600 + seed.length}`, `0.${digit}`, `-${digit}`, '0'];
  return [
    ...texts.map((text) => ({ S: text })),
    ...numbers.map((number) => ({ N: number })),
    { BOOL: true },
    { NULL: true },
    { SS: [seed] },
    { NS: [digit] },
    { L: [{ S: seed }] },
    { L: [{ N: digit }] },
    { L: [] },
    { M: {} },
    { B: new Uint8Array([1]) },
  ];
}

/** The words of an enum or a literal. */
function wordsOf(schema: z.core.$ZodType): AttributeValue[] {
  try {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const values = json.enum ?? (json.const === undefined ? [] : [json.const]);
    return values.flatMap((value): AttributeValue[] =>
      typeof value === 'string' ? [{ S: value }] : typeof value === 'number' ? [{ N: String(value) }] : [],
    );
  } catch {
    return [];
  }
}

/**
 * A key part of the pattern that begins with this text, with these ids where the text leaves them open.
 * @returns undefined if no key part of the pattern begins with it
 */
export function completed({ pattern }: KeyPattern, begins: string, ids: Ids): string | undefined {
  // As in keyPattern: literals, with the names of ids between them.
  const pieces = pattern.split(/\{(\w+)\}/);
  let rest = begins;
  for (const [index, piece] of pieces.entries()) {
    const after = () => written(pieces.slice(index + 1), index + 1, ids);
    if (index % 2 === 0) {
      if (piece.startsWith(rest)) return begins + piece.slice(rest.length) + after();
      if (!rest.startsWith(piece)) return undefined;
      rest = rest.slice(piece.length);
      continue;
    }
    const [stop] = pieces[index + 1] ?? '';
    const end = stop === undefined ? -1 : rest.indexOf(stop);
    if (end === 0) return undefined;
    if (end < 0) return begins + (rest === '' ? (ids[piece] ?? '') : '') + after();
    rest = rest.slice(end);
  }
  return undefined;
}

function written(pieces: readonly string[], from: number, ids: Ids): string {
  return pieces.map((piece, index) => ((from + index) % 2 === 0 ? piece : (ids[piece] ?? ''))).join('');
}
