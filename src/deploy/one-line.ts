/** JSON on one line, with a space after each comma and colon, and no character that YAML takes for a line break. */
export function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return escaped(JSON.stringify(value));
  const members = Object.entries(value).map(
    ([name, member]) => `${escaped(JSON.stringify(name))}: ${oneLine(member)}`,
  );
  return `{${members.join(', ')}}`;
}

function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
