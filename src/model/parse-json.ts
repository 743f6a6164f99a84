/** A string of JSON, and the colon that makes it a name. Written so that a long one is matched without going back. */
const strings = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"(\s*:)?/g;

/**
 * Parses JSON, whatever its names are. Node 24's own `JSON.parse` takes one name with an escape for another where an
 * object of the same shape with a name that begins with a backslash was there before (seen in 24.21, not in 20.20): so
 * escapes in names go by a sign that the text does not hold.
 * @throws SyntaxError where the text is no JSON
 */
export function parseJson(text: string): unknown {
  if (!text.includes('\\')) return JSON.parse(text);
  const sign = signNotIn(text);
  const marked = text.replace(strings, (string, inside: string, colon: string | undefined) =>
    colon === undefined || !inside.includes('\\') ? string : `"${marking(inside, sign)}"${colon}`,
  );
  const parsed: unknown = JSON.parse(marked);
  return marked === text ? parsed : withNames(parsed, new RegExp(`${sign}(u[0-9a-fA-F]{4}|.)`, 'gs'));
}

/** A character of Unicode's private use area that the text does not hold. */
function signNotIn(text: string): string {
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const sign = String.fromCharCode(code);
    if (!text.includes(sign) && !new RegExp(`\\\\u${code.toString(16)}`, 'i').test(text)) return sign;
  }
  throw new SyntaxError('Expected a text that leaves a character of the private use area free');
}

/** The escapes of a name, none of them with a backslash or a quote any more. */
function marking(name: string, sign: string): string {
  return name.replace(/\\([\s\S])/g, (_, escaped: string) => {
    if (escaped === '"') return `${sign}q`;
    return escaped === '\\' ? `${sign}s` : `${sign}${escaped}`;
  });
}

function withNames(value: unknown, marks: RegExp): unknown {
  if (Array.isArray(value)) return value.map((member) => withNames(member, marks));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replace(marks, unmarked), withNames(member, marks)]),
  );
}

function unmarked(_: string, escaped: string): string {
  if (escaped === 'q') return '"';
  return escaped === 's' ? '\\' : String(JSON.parse(`"\\${escaped}"`));
}
