import { TransientError } from '../../model/basics/errors.ts';
import type { AttributeValue } from '../../model/items/attribute-value.ts';
import { isStorable } from '../../model/items/decimal.ts';
import { readItem } from '../../model/items/dynamodb-json.ts';
import { isKeyName, keyParts, type TableNames } from '../../model/items/table-names.ts';
import type { TablePort } from '../../worker/ports.ts';
import type { Edit } from '../protocol/views.ts';
import { PageError } from '../server/page-source.ts';

/** @throws PageError `page.edit`, which names the field that is wrong; TransientError and FatalError as ports do */
export async function editAttribute(
  port: TablePort,
  table: TableNames,
  { key, attribute, value }: Edit,
): Promise<void> {
  if (isKeyName(table, attribute))
    throw editError(
      `the attribute to be another one than ${keyParts(table).names.join(' and ')}, because a key never changes: put another item`,
    );
  const read = value === undefined ? undefined : attributeValue(value);
  if (read !== undefined && !numbersIn(read).every(isNumber))
    throw editError(`numbers of at most 38 digits in ${attribute}, got something else: check the value`);
  const change =
    read === undefined ? { set: {}, remove: [attribute] } : { set: { [attribute]: read }, remove: [] };
  const [outcome] = await port.update([{ key, ...change, expect: {} }]);
  switch (outcome) {
    case 'written':
      return;
    case 'lost':
      throw editError('the item to exist, found none of this key: put it first');
    case 'refused':
      throw editError(
        `a value of ${attribute} that DynamoDB takes, and it refused this one: a set has members, a key of an index is a text, and an item has at most 400 KB`,
      );
    default:
      throw new TransientError('table.unavailable', 'The table does not take the edit now: try again later');
  }
}

function editError(expected: string): PageError {
  return new PageError('page.edit', `Expected ${expected}`);
}

function attributeValue(json: unknown): AttributeValue {
  const value = readItem({ json })?.['json'];
  if (value === undefined)
    throw editError('the value to be DynamoDB JSON such as {"S": "Ada"}, got something else: check its type');
  return value;
}

function numbersIn(value: AttributeValue): readonly string[] {
  if ('N' in value) return [value.N];
  if ('NS' in value) return value.NS;
  return ('L' in value ? value.L : 'M' in value ? Object.values(value.M) : []).flatMap(numbersIn);
}

function isNumber(text: string): boolean {
  try {
    return isStorable(text);
  } catch {
    return false;
  }
}
