import { type Item, type ItemKey, keyIn, keyText, text } from '../../../../model/item.ts';
import { type Ids, idNames, keyWith } from '../../../../model/kind.ts';
import type { Registry } from '../../../../model/registry.ts';
import type { Rule } from '../../../../model/rule.ts';
import { viewOf } from '../../../../model/view.ts';
import { reader } from '../../relation-of.ts';
import { combinations, idPool, type KindValues } from './kind-values.ts';

/** Where a value of a copy comes from: an id, a key part or a text of its root, or a value of its own; `any` does not matter. */
type Source = `id ${string}` | `attribute ${string}` | 'pk' | 'sk' | `own ${number}` | 'any';

/** How an application writes copies of a rule: what names the root. */
export interface Recipe {
  /** For each id of the copy's key that its location leaves open. */
  readonly ids: Readonly<Record<string, Source>>;
  /** For each attribute that `rootOf` may read. */
  readonly attributes: Readonly<Record<string, Source>>;
}

/** Recipes that are tried at most for one rule. */
const most = 3000;

/** Where a root places copies; undefined if it cannot say. */
export function placeOf({ table }: Registry, { root: kind, located, ...rule }: Rule, root: Item) {
  if (located.in === 'itself') return undefined;
  try {
    const view = viewOf(table, kind, root, reader({ ...rule, root: kind, located }, 'root'));
    if (located.in === 'key' || located.in === 'keys') {
      const keys = located.in === 'key' ? [located.at(view)] : located.at(view);
      return { keys, pk: '', begins: '', index: undefined };
    }
    const { pk, begins = '' } = located.at(view);
    return { keys: undefined, pk, begins, index: located.in === 'index' ? located.index : undefined };
  } catch {
    return undefined;
  }
}

/** Whether a copy has what the recipe takes from this root. */
export function isMadeFor(
  registry: Registry,
  rule: Rule,
  { ids, attributes }: Recipe,
  root: Item,
  copy: Item,
): boolean {
  const own = rule.copy.idsOf(keyIn(registry.table, copy)) ?? {};
  const agrees = (source: Source, found: string | undefined) =>
    !isOfRoot(source) || valueFrom(registry, rule, root, source, []) === found;
  return (
    Object.entries(ids).every(([name, source]) => agrees(source, own[name])) &&
    Object.entries(attributes).every(([name, source]) => agrees(source, text(copy[name])))
  );
}

/** A source's value for this root; undefined if it has none. @param own values of the copy's own */
function valueFrom(registry: Registry, rule: Rule, root: Item, source: Source, own: readonly string[]) {
  const key = keyIn(registry.table, root);
  if (source === 'pk' || source === 'sk') return key[source];
  const [from = '', name = ''] = source.split(/ (.*)/s);
  if (from === 'id') return rule.root.idsOf(key)?.[name];
  return from === 'attribute' ? text(root[name]) : own[Number(name)];
}

/** The copy of a root by a recipe, with other attributes as in `rest`; undefined if the recipe has no value for it. */
export function copyBy(
  registry: Registry,
  rule: Rule,
  recipe: Recipe,
  root: Item,
  rest: Item,
  own: readonly string[],
) {
  const { table } = registry;
  const place = placeOf(registry, rule, root);
  if (place === undefined) return undefined;
  const value = (source: Source) => valueFrom(registry, rule, root, source, own);
  const key = keyAt(rule, place, mapped(recipe.ids, value), own);
  if (key === undefined) return undefined;
  const attributes = Object.entries(mapped(recipe.attributes, value)).map(([name, one]) => [
    name,
    { S: one },
  ]);
  return {
    ...rest,
    [table.pk]: { S: key.pk },
    [table.sk]: { S: key.sk },
    ...(rule.copy.type !== undefined && { [table.type]: { S: rule.copy.type } }),
    ...Object.fromEntries(attributes),
    ...(place.index && {
      [place.index.pk]: { S: place.pk },
      [place.index.sk]: { S: `${place.begins}${key.sk}` },
    }),
  } satisfies Item;
}

function mapped(
  sources: Readonly<Record<string, Source>>,
  value: (source: Source) => string | undefined,
): Ids {
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, source]) => {
      const found = value(source);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

/** @param own values of the copy's own: of several keys, the first of them chooses one */
function keyAt(
  { copy }: Rule,
  { keys, pk, begins, index }: Place,
  ids: Ids,
  [chosen = '']: readonly string[],
): ItemKey | undefined {
  if (keys !== undefined) {
    const sum = [...chosen].reduce((total, letter) => total + letter.charCodeAt(0), 0);
    const key = keys[sum % keys.length];
    return key && copy.idsOf(key) && { pk: key.pk, sk: key.sk };
  }
  const fixed = index === undefined ? copy.pkPattern.parse(pk) : {};
  if (fixed === undefined) return undefined;
  const key = keyWith(copy, { ...ids, ...fixed });
  if (key === undefined || index !== undefined || key.sk.startsWith(begins)) return key;
  // The location asks for more of the sort key than its pattern says.
  const longer = { pk, sk: `${begins}${key.sk}` };
  return copy.idsOf(longer) && longer;
}

/**
 * The recipes by which copies of most of these roots lead back to them, the best first; those whose values all come from the
 * root precede others. Empty if there is none.
 */
export function recipesOf(
  registry: Registry,
  rule: Rule,
  copies: KindValues,
  roots: readonly { readonly root: Item; readonly rest: Item }[],
): readonly { readonly recipe: Recipe; readonly led: number }[] {
  const own = ownValues(copies);
  const named: Source[] = [
    ...idNames(rule.root).map((name): Source => `id ${name}`),
    ...textsOf(
      registry,
      roots.map(({ root }) => root),
    ).map((name): Source => `attribute ${name}`),
    ...(['pk', 'sk'] as const),
  ];
  // An id that no id of the root is like tells the copies of one root apart.
  const ids = openIds(rule).map((name) => {
    const [first = 'own 0', ...more] = likeliest(named, name);
    const sources: Source[] = isAlike(first, name) ? [first, 'own 0', ...more] : ['own 0', first, ...more];
    return [name, sources] as const;
  });
  const attributes = rule.reads.copy
    .filter((name) => copies.pools.get(name)?.some((value) => typeof value === 'string') === true)
    .map((name) => [name, ['any', ...likeliest(named, name), 'own 0']] as const);
  // Beyond the limit, ids keep their likeliest sources.
  const sources = [
    ...ids.map(([n, s]) => [`i${n}`, s] as const),
    ...attributes.map(([n, s]) => [`a${n}`, s] as const),
  ];
  return combinations<Source>(sources, most)
    .map((tried) => ({ ids: part(tried, 'i'), attributes: part(tried, 'a') }))
    .map((recipe) => ({
      recipe,
      led: roots.filter(({ root, rest }) => leadsBack(registry, rule, recipe, root, rest, own)).length,
    }))
    .filter(({ led }) => led > 0)
    .sort((a, b) => b.led - a.led);
}

/** A copy where its location is, whatever it names. */
export function plainRecipe(rule: Rule): Recipe {
  return { ids: Object.fromEntries(openIds(rule).map((name) => [name, 'own 0'])), attributes: {} };
}

/** Values of a copy's own that an id or a name may have. */
export function ownValues({ pools }: KindValues): readonly string[] {
  const strings = [...pools.values()].flatMap((pool) => pool.filter((one) => typeof one === 'string'));
  return [...idPool, ...strings];
}

/** Whether the value comes from the root alone. */
export function isOfRoot(source: Source): boolean {
  return !source.startsWith('own');
}

function leadsBack(
  registry: Registry,
  rule: Rule,
  recipe: Recipe,
  root: Item,
  rest: Item,
  own: readonly string[],
): boolean {
  const copy = copyBy(registry, rule, recipe, root, rest, own);
  const named = copy && rootNamed(registry, rule, copy);
  return named !== undefined && keyText(named) === keyText(keyIn(registry.table, root));
}

/** The root that a copy names; undefined if it names none. */
export function rootNamed({ table }: Registry, rule: Rule, copy: Item): ItemKey | undefined {
  try {
    return rule.rootOf(viewOf(table, rule.copy, copy, reader(rule, 'copy')));
  } catch {
    return undefined;
  }
}

/** The ids of a copy's key that its location does not fix. */
function openIds({ copy, located }: Rule): string[] {
  if (located.in === 'key' || located.in === 'keys') return [];
  return idNames(copy).filter((name) => located.in === 'index' || !copy.pkPattern.ids.includes(name));
}

/** An id of a like name first: `author` for `author`, `authorId` or `post_author`. */
function likeliest(sources: readonly Source[], name: string): Source[] {
  const likeness = (source: Source): number => (source === `id ${name}` ? 0 : isAlike(source, name) ? 1 : 2);
  return sources.toSorted((a, b) => likeness(a) - likeness(b));
}

function isAlike(source: Source, name: string): boolean {
  return source.startsWith('id ') && name.toLowerCase().includes(source.slice('id '.length).toLowerCase());
}

function textsOf({ table }: Registry, roots: readonly Item[]): string[] {
  const names = roots.flatMap((root) => Object.keys(root).filter((name) => text(root[name]) !== undefined));
  return [...new Set(names)].filter((name) => ![table.pk, table.sk, table.type].includes(name));
}

function part(sources: Readonly<Record<string, Source>>, mark: string): Record<string, Source> {
  return Object.fromEntries(
    Object.entries(sources).flatMap(([name, source]) =>
      name.startsWith(mark) && source !== 'any' ? [[name.slice(1), source]] : [],
    ),
  );
}
