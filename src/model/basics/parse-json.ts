const { parse } = JSON;

/** Makes the string before it a name. */
const colon = /\s*:/y;

/**
 * `JSON.parse` can mistake a name with an escape for another, if it parsed a name that begins with a backslash before (V8 12.8
 * to 14.6, so Node 24 and 26; https://github.com/nodejs/node/issues/63785). Each name is therefore replaced by its place in a
 * list of names while parsing.
 * @throws SyntaxError if the text is not JSON
 */
export function parseJson(text: string): unknown {
  const names = text.includes('\\') ? namesIn(text) : [];
  if (!names.some(([from, to]) => text.slice(from, to).includes('\\'))) return parse(text);
  const places = new Map<unknown, number>();
  let numbered = '';
  let copied = 0;
  for (const [from, to] of names) {
    const name: unknown = parse(text.slice(from, to));
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    // A letter first: the names of an object that are numbers would change their order.
    numbered += `${text.slice(copied, from)}"n${place}"`;
    copied = to;
  }
  return renamed(parse(numbered + text.slice(copied)), [...places.keys()].map(String));
}

/** Lambda parses events with `JSON.parse`, and the SDK answers. */
export function installParseJson(): void {
  JSON.parse = (text: unknown, reviver?: Parameters<typeof parse>[1]) =>
    reviver === undefined ? parseJson(String(text)) : parse(String(text), reviver);
}

/** Where the names are, quotes included. */
function namesIn(text: string): (readonly [from: number, to: number])[] {
  const names: [number, number][] = [];
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', colon.lastIndex)) {
    const to = endOfString(text, from);
    colon.lastIndex = to;
    if (colon.test(text)) names.push([from, to]);
    else colon.lastIndex = to;
  }
  return names;
}

/** Behind the quote that closes it; the end of the text if none does. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Does not recurse: JSON may be nested deeper than a stack allows. */
function renamed(parsed: unknown, names: readonly string[]): unknown {
  const top = [parsed];
  const holders: object[] = [top];
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop())
    for (const [place, member] of Object.entries(holder)) {
      if (typeof member !== 'object' || member === null) continue;
      const value = Array.isArray(member) ? member : withNames(member, names);
      Object.defineProperty(holder, place, { value });
      holders.push(value);
    }
  return top[0];
}

function withNames(numbered: object, names: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(numbered).map(([place, value]) => [names[Number(place.slice(1))], value]),
  );
}

export function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
