import type { View } from './kind.ts';

type PlaceholderView = View<Record<string, unknown>, string>;

/** So unlike each other that a function which cuts, pads, converts or adds attributes returns something else for each. */
const probes: readonly ((number: number) => string | number)[] = [
  // One character, of private use.
  (number) => String.fromCharCode(0xe000 + number),
  // Other in upper case, in lower case and when normalized, with spaces.
  (number) => ` Q${'ǅ'.repeat(number + 1)} q `,
  // With separators, which a key pattern may refuse.
  (number) => `<#-_:/.,@+|;${'='.repeat(number + 1)}>`,
  (number) => 8_123_450_067 + number,
  (number) => -(98_765_400_321.5 + number),
];

/**
 * The text that a function of a rule makes, with every attribute and ID as its name in braces. Undefined if it does more than
 * place them.
 * @param lists attributes that are a list; the pattern says `{each of <name>}`
 */
export function patternOf(
  textOf: (view: PlaceholderView) => string | undefined,
  lists: ReadonlySet<string> = new Set(),
): string | undefined {
  const patterns = new Set(probes.flatMap((probe) => patternBy(probe, textOf, lists)));
  const [pattern] = patterns;
  return patterns.size === 1 ? pattern : undefined;
}

export function placeholders(): PlaceholderView {
  return probing({ id: (name) => name, attribute: (name) => name });
}

/** @returns nothing if the function throws: a key may not contain what this probe does */
function patternBy(
  probe: (number: number) => string | number,
  textOf: (view: PlaceholderView) => string | undefined,
  lists: ReadonlySet<string>,
): (string | undefined)[] {
  const probed = new Map<string, string>();
  const attributes = new Set<string>();
  const value = (name: string) => {
    const made = probe([...probed.keys(), name].indexOf(name));
    probed.set(name, String(made));
    return made;
  };
  // IDs and elements of these lists are always text.
  const id = (name: string) => String(value(name));
  const attribute = (name: string) => {
    const isList = lists.has(name);
    const placed = isList ? `each of ${name}` : name;
    attributes.add(placed);
    return isList ? [id(placed)] : value(placed);
  };
  try {
    let pattern = textOf(probing({ id, attribute }));
    for (const [name, text] of probed) {
      // An attribute that is read but not placed may choose between several texts.
      if (attributes.has(name) && !pattern?.includes(text)) return [undefined];
      pattern = pattern?.replaceAll(text, `{${name}}`);
    }
    return [pattern];
  } catch {
    return [];
  }
}

interface Reading {
  readonly id: (name: string) => string;
  readonly attribute: (name: string) => string | number | string[];
}

function probing({ id, attribute }: Reading): PlaceholderView {
  const ids = new Proxy<Record<string, string>>({}, { get: (_, name) => id(String(name)) });
  return new Proxy(
    { ids },
    { get: (target, name) => (name === 'ids' ? target.ids : attribute(String(name))) },
  );
}
