import * as z from 'zod';
import { type AttributeValue, friendly, withNearestFractions } from './attribute-value.ts';
import { DenormError, InvalidItemError, type Role } from './errors.ts';
import { attribute, type Item, type ItemKey, keyIn } from './item.ts';
import { type AnyKind, type Ids, idNames, type View } from './kind.ts';
import { didYouMean } from './nearest.ts';
import type { TableNames } from './table-names.ts';

/**
 * The item as a rule's functions see it. An attribute is parsed when a function reads it, so an item needs only the
 * attributes that are used. Reading an attribute that is not in the rule's `reads` is an error, as is a name that neither
 * the schema nor the key has: without types, it would be undefined, and part of a key as the text `undefined`.
 * @throws InvalidItemError `<role>.invalid` when a function reads an attribute that is missing or has another type
 */
export function viewOf(table: TableNames, kind: AnyKind, item: Item, reader: Reader): AnyView {
  const { Viewed, idsOf } = viewerOf(kind, reader);
  const key = keyIn(table, item);
  return new Viewed(item, key, idsOf(key));
}

/** Who reads: the rule, which of its items this is, and the attributes that it declares to read. */
interface Reader {
  readonly rule: string;
  readonly role: Role;
  readonly reads: readonly string[];
}

type AnyView = View<Record<string, unknown>, string>;

/** What is made once for a kind and a reader, because views are made for every item. */
interface Viewer {
  readonly kind: AnyKind;
  readonly reader: Reader;
  readonly Viewed: new (item: Item, key: ItemKey, ids: Ids) => AnyView;
  readonly idsOf: (key: ItemKey) => Ids;
}

/** By the list of attributes that a rule reads. */
const viewers = new WeakMap<readonly string[], Viewer[]>();

function viewerOf(kind: AnyKind, reader: Reader): Viewer {
  const known = viewers.get(reader.reads) ?? [];
  const found = known.find(
    (one) => one.kind === kind && one.reader.rule === reader.rule && one.reader.role === reader.role,
  );
  if (found !== undefined) return found;
  const made = viewerFor(kind, reader);
  viewers.set(reader.reads, [...known, made]);
  return made;
}

function viewerFor(kind: AnyKind, reader: Reader): Viewer {
  class Viewed {
    readonly ids: Ids;
    readonly #item: Item;
    readonly #key: ItemKey;
    #read: Map<string, unknown> | undefined;

    constructor(item: Item, key: ItemKey, ids: Ids) {
      this.ids = ids;
      this.#item = item;
      this.#key = key;
    }

    /** A text or a number is parsed once: all copies of a page read the same root. Functions may change other values. */
    static read(view: Viewed, name: string, schema: z.core.$ZodType): unknown {
      const known = view.#read?.get(name);
      if (known !== undefined) return known;
      const value = parsed(kind, reader, name, schema, view.#item, view.#key);
      if (typeof value === 'string' || typeof value === 'number') {
        view.#read ??= new Map();
        view.#read.set(name, value);
      }
      return value;
    }
  }
  const names = Object.keys(kind.attributes.shape);
  for (const [name, schema] of Object.entries(kind.attributes.shape))
    Object.defineProperty(Viewed.prototype, name, {
      enumerable: true,
      get(this: Viewed) {
        return Viewed.read(this, name, schema);
      },
    });
  Object.setPrototypeOf(
    Viewed.prototype,
    refusing(
      (name) =>
        `Expected an attribute that the schema of ${kind.name} lists, got '${name}': ${didYouMean(name, names)}`,
    ),
  );
  const ofIds = refusing(
    (name) => `Expected an id of the keys of ${kind.name}, got '${name}': ${didYouMean(name, idNames(kind))}`,
  );
  // The casts are safe: the prototype has what the schema lists, and an object literal takes __proto__ as its prototype.
  return {
    kind,
    reader,
    Viewed: Viewed as unknown as Viewer['Viewed'],
    idsOf: (key) => Object.freeze({ __proto__: ofIds, ...kind.idsOf(key) }) as unknown as Ids,
  };
}

/** An object that refuses to be asked for any name, but those that every object has or that JavaScript asks for itself. */
function refusing(why: (name: string) => string): object {
  return new Proxy(
    {},
    {
      get(target, name, receiver) {
        if (typeof name === 'symbol' || name in target || name === 'then' || name === 'toJSON')
          return Reflect.get(target, name, receiver);
        throw new DenormError('rule.undeclared-read', why(name));
      },
    },
  );
}

function parsed(
  kind: AnyKind,
  { rule, role, reads }: Reader,
  name: string,
  schema: z.core.$ZodType,
  item: Item,
  key: ItemKey,
): unknown {
  if (!reads.includes(name))
    throw new DenormError(
      'rule.undeclared-read',
      `Rule ${rule} reads '${name}' of its ${role} without declaring it: add it to reads.${role}`,
      { rule },
    );
  const value = attribute(item, name);
  const result = parsedBy(schema, value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const ofOtherType = issue?.code === 'invalid_type';
  const expected = ofOtherType ? issue.expected : 'a value that its schema accepts';
  const found = typeText(value, ofOtherType ? 'one' : 'another');
  throw new InvalidItemError(
    role,
    `${role}.invalid`,
    `Expected attribute '${name}' of ${kind.name} to be ${expected}, found ${found}`,
    { rule, key },
  );
}

/** What a schema makes of a value: of a fraction that JavaScript cannot hold, the nearest number unless it takes the text. */
export function parsedBy(schema: z.core.$ZodType, value: AttributeValue | undefined) {
  const exact = z.safeParse(schema, value && friendly(value));
  return exact.success || value === undefined ? exact : z.safeParse(schema, withNearestFractions(value));
}

/** The type that was found, without the content. */
function typeText(value: AttributeValue | undefined, one: string): string {
  if (value === undefined) return 'none';
  if (typeof withNearestFractions(value) === 'string' && 'N' in value)
    return 'a number with more digits than JavaScript holds exactly';
  return `${one} of type ${Object.keys(value)[0]}`;
}
