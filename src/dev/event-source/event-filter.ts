import type { FilterPattern } from '../../deploy/needs/mapping-filters.ts';
import { isObject } from '../../model/basics/type-of.ts';
import { LocalError } from '../errors.ts';

type Matches = (value: unknown) => boolean;

/**
 * Returns whether a record matches a mapping's FilterCriteria: any of its patterns, or no patterns at all. Supports what
 * `denorm template` writes: texts, `prefix`, `suffix` and `exists`. Source: Lambda Developer Guide, "Filter rule syntax".
 * @throws LocalError `filter.unknown-pattern` for any other operator, which template.extra.yaml can bring
 */
export function eventFilter(patterns: readonly FilterPattern[]): Matches {
  if (patterns.length === 0) return () => true;
  const alternatives = patterns.map((pattern) => objectMatcher(pattern, ''));
  return (record) => alternatives.some((matches) => matches(record));
}

function objectMatcher(pattern: FilterPattern, path: string): Matches {
  const members = Object.entries(pattern).map(([name, member]): Matches => {
    const matches = memberMatcher(member, path === '' ? name : `${path}.${name}`);
    return (value) => matches(isObject(value) ? value[name] : undefined);
  });
  return (value) => members.every((matches) => matches(value));
}

function memberMatcher(member: unknown, path: string): Matches {
  if (isObject(member)) return objectMatcher(member, path);
  if (!Array.isArray(member) || member.length === 0) throw unknownPattern(member, path);
  const alternatives = member.map((entry: unknown) => comparison(entry, path));
  return (value) => alternatives.some((matches) => matches(value));
}

function comparison(entry: unknown, path: string): Matches {
  if (typeof entry === 'string') return (value) => value === entry;
  const [[name, operand] = [], ...others] = isObject(entry) ? Object.entries(entry) : [];
  if (others.length === 0 && typeof operand === 'string' && name === 'prefix')
    return (value) => typeof value === 'string' && value.startsWith(operand);
  if (others.length === 0 && typeof operand === 'string' && name === 'suffix')
    return (value) => typeof value === 'string' && value.endsWith(operand);
  // Only leaves count as existing. An object does not.
  if (others.length === 0 && typeof operand === 'boolean' && name === 'exists')
    return (value) => (value !== undefined && !isObject(value)) === operand;
  throw unknownPattern(entry, path);
}

function unknownPattern(found: unknown, path: string): LocalError {
  return new LocalError(
    'filter.unknown-pattern',
    `Expected a list of texts, prefix, suffix or exists at ${path} of a filter pattern, got ${JSON.stringify(found)}: ` +
      'other comparisons work only in AWS, so leave the filter to the deployed stack.',
  );
}
