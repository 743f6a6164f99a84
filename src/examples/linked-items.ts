import { wholeNumber } from '../model/items/attribute-value.ts';
import { isInLocation } from '../model/items/copy-location.ts';
import { plainNumber } from '../model/items/decimal.ts';
import { type Item, type ItemKey, keyAttributes, keyIn } from '../model/items/item.ts';
import { isKeyName, type TableNames } from '../model/items/table-names.ts';
import { type BoundKind, idNames, keyWith, numericId } from '../model/kinds/kind.ts';
import { combinations, idPool, idsFor, type KindValues } from './kind-values.ts';
import { keysWithin, type Link, type Place, type Sources } from './links.ts';
import { accepts } from './value-pool.ts';

type Texts = Readonly<Record<string, string | undefined>>;

const most = 500;

/**
 * @param own texts that tell the items of one root apart.
 * @returns undefined if no item was found that leads to the root
 */
export function linkedItem(
  link: Link,
  root: Item,
  rest: Item,
  own: readonly string[],
): { readonly item: Item; readonly sources: Sources } | undefined {
  const places = link.placesOf(root);
  const start = [...(own[0] ?? '')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % places.length;
  const texts: Texts = { ...textsOf(link, root), 'own 0': own[0], 'own 1': own[1] };
  const usual = link.usual === undefined ? [] : [link.usual];
  for (const place of [...places.slice(start), ...places.slice(0, start)]) {
    let tries = 0;
    for (const some of [usual, sourcesFor(link, place, texts)])
      for (const sources of some) {
        const item = itemAt(link, place, rest, (name) => texts[sources[name] ?? '']);
        if (item !== undefined && link.leads(item, root)) return { item, sources };
        tries += 1;
        if (tries > most) break;
      }
  }
  return undefined;
}

export function itemNear(link: Link, root: Item, rest: Item): Item | undefined {
  const [place] = link.placesOf(root);
  return (
    place &&
    itemAt(link, place, rest, (name) =>
      name.startsWith('id ') ? idsFor(link.item, name.slice('id '.length))[0] : undefined,
    )
  );
}

function textsOf({ table, root: kind }: Link, root: Item): Texts {
  const key = keyIn(table, root);
  const ids = Object.entries(kind.idsOf(key) ?? {}).map(([name, id]) => [`id ${name}`, id]);
  const attributes = Object.entries(root)
    .filter(([name]) => !isKeyName(table, name) && name !== table.type)
    .map(([name, value]) => [`attribute ${name}`, plainText(value)]);
  return { ...Object.fromEntries([...ids, ...attributes]), ...key };
}

/** The ways to fill the ids that the place leaves open and the attributes that are read, the likeliest first. */
function sourcesFor({ item, reads }: Link, place: Place, texts: Texts): Iterable<Sources> {
  const named = Object.keys(texts).filter((source) => !source.startsWith('own'));
  const fixed = place.in === 'key' ? idNames(item) : place.in === 'partition' ? item.pkPattern.names : [];
  const ids = idNames(item)
    .filter((name) => !fixed.includes(name))
    .map((name): [string, string[]] => {
      const [alike, others] = byLikeness(named, name);
      return [`id ${name}`, alike.length > 0 ? [...alike, 'own 0', ...others] : ['own 0', ...others]];
    });
  const attributes = reads.map((name): [string, string[]] => {
    const [alike, others] = byLikeness(named, name);
    const all = alike.length > 0 ? ['own 1', ...alike, 'kept', ...others] : ['kept', ...others, 'own 1'];
    return [
      name,
      all.filter((source) => source === 'kept' || naming(item, name, texts[source]) !== undefined),
    ];
  });
  return combinations([...ids, ...attributes]);
}

/** Ids of a like name: `author` for `author`, `authorId` or `post_author`; and everything else. */
function byLikeness(sources: readonly string[], name: string): [alike: string[], others: string[]] {
  const isAlike = (source: string) =>
    source.startsWith('id ') && name.toLowerCase().includes(source.slice('id '.length).toLowerCase());
  return [sources.filter(isAlike), sources.filter((source) => !isAlike(source))];
}

function itemAt(
  { table, item: kind, reads }: Link,
  place: Place,
  rest: Item,
  textFor: (name: string) => string | undefined,
): Item | undefined {
  const key = keyAt(kind, place, textFor, table);
  if (key === undefined) return undefined;
  const item: Record<string, Item[string]> = {
    ...rest,
    ...keyAttributes(table, key),
  };
  if (kind.type !== undefined) item[table.type] = { S: kind.type };
  for (const name of reads) {
    const value = naming(kind, name, textFor(name));
    if (value !== undefined) item[name] = value;
  }
  if (place.in === 'index') Object.assign(item, keysWithin(table, place, key.sk === '' ? key.pk : key.sk));
  return item;
}

/** Undefined if it is neither text nor a number. */
function plainText(value: Item[string]): string | undefined {
  if ('S' in value) return value.S;
  return 'N' in value ? plainNumber(value.N) : undefined;
}

/** The text as a value of the attribute: itself or, for an attribute that names several items, a list of it. */
function naming(kind: BoundKind, name: string, value: string | undefined): Item[string] | undefined {
  const schema = kind.attributes.shape[name];
  if (schema === undefined || value === undefined) return undefined;
  if (accepts(schema, value)) return { S: value };
  if (plainNumber(value) === value && accepts(schema, Number(value))) return { N: value };
  const whole = wholeNumber(value);
  if (whole !== undefined && plainNumber(value) === value && accepts(schema, whole)) return { N: value };
  return accepts(schema, [value]) ? { L: [{ S: value }] } : undefined;
}

function keyAt(
  kind: BoundKind,
  place: Place,
  textFor: (name: string) => string | undefined,
  table: TableNames,
): ItemKey | undefined {
  if (place.in === 'key') return kind.idsOf(place) && { pk: place.pk, sk: place.sk };
  const ids = Object.fromEntries(
    idNames(kind).map((name) => [name, idFrom(kind, name, textFor(`id ${name}`) ?? '')]),
  );
  if (place.in === 'anywhere' || place.in === 'index') return keyWith(kind, ids);
  const pk = String(place.pk);
  const fixed = kind.pkPattern.parse(pk);
  const key = fixed && keyWith(kind, { ...ids, ...fixed });
  if (key === undefined || isInLocation(table, keyAttributes(table, key), place)) return key;
  // The location asks for more of the sort key than its pattern says.
  const longer = { pk, sk: place.from ?? place.to ?? `${place.begins ?? ''}${key.sk}` };
  return kind.idsOf(longer) && longer;
}

/** A text that is no number stands for one where an id is a number: for the digits at its end, if it has some. */
function idFrom(kind: BoundKind, name: string, text: string): string {
  if (numericId(kind, name) === undefined || plainNumber(text) !== undefined) return text;
  const [digits] = /[1-9]\d*$/.exec(text) ?? [];
  if (digits !== undefined) return digits;
  const numbers = idsFor(kind, name);
  return numbers[text.length % numbers.length] ?? '';
}

/** Values of an item's own that an id or a name may have. */
export function ownTexts({ kind, pools }: KindValues): readonly string[] {
  return [
    ...new Set([...idPool, ...idNames(kind).flatMap((name) => idsFor(kind, name))]),
    ...[...pools.values()].flat().filter((value) => typeof value === 'string'),
  ];
}
