/** A string of JSON, and the colon that makes it a name. The pattern matches a long string without backtracking. */
const strings = /"([^"\\]*(?:\\[\s\S][^"\\]*)*)"(\s*:)?/g;

/**
 * Parses JSON with any names. `JSON.parse` of Node 24 can mistake a name with an escape for another name, if it parsed an
 * object of the same shape with a name that begins with a backslash before (seen in 24.21, not in 20.20). A character that
 * the text does not contain therefore replaces the backslashes in names while parsing.
 * @throws SyntaxError if the text is not JSON
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

/** Parses JSON; undefined if the text is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Where a text stops to be JSON, as `line 3, column 7`, to be named instead of quoted. Undefined if it is JSON. */
export function jsonFault(text: string): string | undefined {
  const refusal = refusalOf(text);
  if (refusal === undefined) return undefined;
  const before = text.slice(0, faultAt(text, refusal));
  const line = before.split('\n');
  return `line ${line.length}, column ${(line.at(-1) ?? '').length + 1}`;
}

function refusalOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/** V8 tells the position of most faults. If not, the text ends too early, or a token is wrong, and then quoted. */
function faultAt(text: string, refusal: string): number {
  const told = / at position (\d+) \(line \d+ column \d+\)$/.exec(refusal)?.[1];
  if (told !== undefined) return Number(told);
  const isWrong = (length: number) =>
    refusalOf(text.slice(0, length))?.startsWith('Unexpected token') === true;
  if (!isWrong(text.length)) return text.length;
  // The shortest wrong beginning ends with the fault.
  let [right, wrong] = [0, text.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isWrong(middle)) wrong = middle;
    else right = middle;
  }
  return right;
}

/** A character of Unicode's private use area that the text does not contain. */
function signNotIn(text: string): string {
  for (let code = 0xe000; code <= 0xf8ff; code += 1) {
    const sign = String.fromCharCode(code);
    if (!text.includes(sign) && !new RegExp(`\\\\u${code.toString(16)}`, 'i').test(text)) return sign;
  }
  throw new SyntaxError('Expected a text that leaves a character of the private use area free');
}

/** A name whose escapes contain neither a backslash nor a quote. */
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
