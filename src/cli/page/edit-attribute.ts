import type { Edit } from '../../develop/page/protocol/item.ts';
import { PageError } from '../../develop/page/server/page-source.ts';
import type { AttributeValue } from '../../model/attribute-value.ts';
import { isStorable } from '../../model/decimal.ts';
import { readItem } from '../../model/dynamodb-json.ts';
import { TransientError } from '../../model/errors.ts';
import { isLegalKeyPart, maxPkBytes, maxSkBytes } from '../../model/item.ts';
import type { TableNames } from '../../model/table-names.ts';
import type { TablePort } from '../../worker/ports.ts';

/**
 * Sets or removes an attribute of an item, as a person asks on the page.
 * @throws PageError `page.edit`, which names the field that is wrong; TransientError and FatalError as ports do
 */
export async function editAttribute(
  port: TablePort,
  table: TableNames,
  { key, attribute, value }: Edit,
): Promise<void> {
  if (attribute === table.pk || attribute === table.sk)
    throw refused(
      `the attribute to be another one than ${table.pk} and ${table.sk}, because a key never changes: put another item`,
    );
  const read = value === undefined ? undefined : attributeValue(value);
  if (read !== undefined) refuseValue(table, attribute, read);
  const change =
    read === undefined ? { set: {}, remove: [attribute] } : { set: { [attribute]: read }, remove: [] };
  const [outcome] = await port.update([{ key, ...change, expect: {} }]);
  switch (outcome) {
    case 'written':
      return;
    case 'lost':
      throw refused('the item to exist, found none of this key: put it first');
    case 'refused':
      throw refused(
        'an edit that DynamoDB takes, and it refused this one: check the size, an item has at most 400 KB',
      );
    default:
      throw new TransientError('table.unavailable', 'The table does not take the edit now: try again later');
  }
}

function refused(expected: string): PageError {
  return new PageError('page.edit', `Expected ${expected}`);
}

function attributeValue(json: unknown): AttributeValue {
  const value = readItem({ json })?.['json'];
  if (value === undefined)
    throw refused('the value to be DynamoDB JSON such as {"S": "Ada"}, got something else: check its type');
  return value;
}

function refuseValue(table: TableNames, attribute: string, value: AttributeValue): void {
  for (const leaf of leavesOf(value)) {
    const members = 'SS' in leaf ? leaf.SS : 'NS' in leaf ? leaf.NS : 'BS' in leaf ? leaf.BS : undefined;
    if (members?.length === 0)
      throw refused('the value to be a set with members, got an empty one: remove the attribute instead');
    const numbers = 'N' in leaf ? [leaf.N] : 'NS' in leaf ? leaf.NS : [];
    if (!numbers.every(isNumber))
      throw refused(
        'the value to be a number of at most 38 digits, got something else: check it, or its type',
      );
  }
  const index = Object.values(table.indexes).find(({ pk, sk }) => pk === attribute || sk === attribute);
  const longest = index?.pk === attribute ? maxPkBytes : maxSkBytes;
  if (index !== undefined && !('S' in value && isLegalKeyPart(value.S, longest)))
    throw refused(
      `the value to be a text of 1 to ${longest} bytes, because ${attribute} is a key of index ${index.name}`,
    );
}

function* leavesOf(value: AttributeValue): Generator<AttributeValue> {
  const members = 'L' in value ? value.L : 'M' in value ? Object.values(value.M) : undefined;
  if (members === undefined) yield value;
  else for (const member of members) yield* leavesOf(member);
}

function isNumber(text: string): boolean {
  try {
    return isStorable(text);
  } catch {
    return false;
  }
}
