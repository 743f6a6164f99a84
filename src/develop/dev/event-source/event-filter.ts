import { LocalError } from '../errors.ts';
import { isRecord } from '../is-record.ts';

/** A pattern of a mapping's FilterCriteria, parsed from its JSON. */
export type FilterPattern = Readonly<Record<string, unknown>>;

type Matches = (value: unknown) => boolean;

/**
 * Returns whether a record matches a mapping's FilterCriteria: any of its patterns, or no patterns at all.
 * Supports the operators that Lambda documents for mappings: equality, prefix, suffix, equals-ignore-case,
 * anything-but, exists, numeric, null, `$or`. Source: Lambda Developer Guide, "Filter rule syntax".
 * @throws LocalError `filter.unknown-pattern` for any other operator
 */
export function eventFilter(patterns: readonly FilterPattern[]): Matches {
  if (patterns.length === 0) return () => true;
  const alternatives = patterns.map((pattern) => objectMatcher(pattern, ''));
  return (record) => alternatives.some((matches) => matches(record));
}

function objectMatcher(pattern: FilterPattern, path: string): Matches {
  const members = Object.entries(pattern).map(([name, member]): Matches => {
    if (name === '$or') return anyOf(member, path);
    const location = path === '' ? name : `${path}.${name}`;
    const matches = memberMatcher(member, location);
    return (value) => matches(isRecord(value) ? value[name] : undefined);
  });
  return (value) => {
    // A list matches if one of its members does.
    if (Array.isArray(value)) return value.some((entry) => members.every((matches) => matches(entry)));
    return members.every((matches) => matches(value));
  };
}

function anyOf(alternatives: unknown, path: string): Matches {
  if (!Array.isArray(alternatives) || alternatives.length < 2 || !alternatives.every(isRecord)) {
    throw unknownPattern('two or more patterns', alternatives, `${path}.$or`);
  }
  const matchers = alternatives.map((pattern) => objectMatcher(pattern, path));
  return (value) => matchers.some((matches) => matches(value));
}

function memberMatcher(member: unknown, path: string): Matches {
  if (isRecord(member)) return objectMatcher(member, path);
  if (!Array.isArray(member) || member.length === 0) {
    throw unknownPattern('a list of values or comparisons', member, path);
  }
  const matchers = member.map((entry) => (isRecord(entry) ? comparison(entry, path) : literal(entry, path)));
  return (value) => {
    const leaves = Array.isArray(value) ? value : [value];
    return matchers.some((matches) => leaves.some(matches));
  };
}

function literal(expected: unknown, path: string): Matches {
  if (expected === null || ['string', 'number', 'boolean'].includes(typeof expected)) {
    return (value) => value === expected;
  }
  throw unknownPattern('a text, a number, true, false or null', expected, path);
}

function comparison(entry: Record<string, unknown>, path: string): Matches {
  const [name = '', operand] = Object.entries(entry)[0] ?? [];
  const location = `${path}.${name}`;
  if (Object.keys(entry).length !== 1) throw unknownPattern('one comparison', entry, path);
  switch (name) {
    case 'prefix':
      return ofText(operand, location, (value, start) => value.startsWith(start));
    case 'suffix':
      return ofText(operand, location, (value, end) => value.endsWith(end));
    case 'equals-ignore-case':
      return ofText(operand, location, (value, other) => value.toLowerCase() === other.toLowerCase());
    case 'exists':
      return exists(operand, location);
    case 'anything-but':
      return anythingBut(operand, location);
    case 'numeric':
      return numeric(operand, location);
    default:
      throw unknownPattern('a comparison that mappings have', entry, path);
  }
}

function ofText(operand: unknown, path: string, test: (value: string, operand: string) => boolean): Matches {
  if (typeof operand !== 'string') throw unknownPattern('a text', operand, path);
  return (value) => typeof value === 'string' && test(value, operand);
}

/** Only leaves count as existing. An object does not. */
function exists(operand: unknown, path: string): Matches {
  if (typeof operand !== 'boolean') throw unknownPattern('true or false', operand, path);
  return (value) => (value !== undefined && !isRecord(value)) === operand;
}

function anythingBut(operand: unknown, path: string): Matches {
  const excluded: unknown[] = Array.isArray(operand) ? operand : [operand];
  const known = excluded.every((entry) => typeof entry === 'string' || typeof entry === 'number');
  if (!known || excluded.length === 0) throw unknownPattern('texts or numbers', operand, path);
  return (value) => value !== undefined && !isRecord(value) && !excluded.some((entry) => entry === value);
}

const relations: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** Only JSON numbers match. DynamoDB numbers are strings in a record, and never match. */
function numeric(operand: unknown, path: string): Matches {
  const parts: unknown[] = Array.isArray(operand) ? operand : [];
  const tests: ((value: number) => boolean)[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [sign, bound] = [parts[at], parts[at + 1]];
    const relation = typeof sign === 'string' ? relations[sign] : undefined;
    if (relation === undefined || typeof bound !== 'number')
      throw unknownPattern('relations and numbers', operand, path);
    tests.push((value) => relation(value, bound));
  }
  if (tests.length === 0) throw unknownPattern('relations and numbers', operand, path);
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function unknownPattern(expected: string, found: unknown, path: string): LocalError {
  return new LocalError(
    'filter.unknown-pattern',
    `Expected ${expected} at ${path} of a filter pattern, got ${JSON.stringify(found)}: ` +
      `write it with the comparisons that Lambda's mappings have.`,
  );
}
