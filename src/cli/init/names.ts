import { InvalidArgumentError } from 'commander';
import { UsageError } from '../errors.ts';

export interface Names {
  readonly table: string;
  readonly pk: string;
  /** False for a table without sort key. */
  readonly sk: string | false;
  readonly skType: 'S' | 'N';
  readonly ttl: string;
  readonly type: string;
}

export const standardNames: Names = {
  table: 'app',
  pk: 'PK',
  sk: 'SK',
  skType: 'S',
  ttl: 'ExpiresAt',
  type: 'Type',
};

export function attributeName(text: string): string {
  if (/^[A-Za-z_][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Expected letters, digits, hyphens and underscores, not beginning with a digit; for another name, edit src/table.ts afterwards.',
  );
}

/** @throws UsageError `usage.names` if two of the attributes have one name */
export function requireDistinct({ pk, sk, ttl, type }: Names): void {
  const names = [pk, ...(sk === false ? [] : [sk]), ttl, type];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new UsageError(
      'usage.names',
      `Expected four different names in --pk, --sk, --ttl and --type, got '${twice}' twice: name another`,
    );
}
