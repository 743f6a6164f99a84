import { DenormError } from '../../model/basics/errors.ts';
import { word } from '../../model/basics/text.ts';
import { wrongExpiry } from '../../model/items/expiry.ts';
import type { TableNames } from '../../model/items/table-names.ts';
import { expiryAttribute } from '../../operate/adapters/dynamodb/describe-table.ts';
import type { TableServices } from './services.ts';

/**
 * How the items of a table expire: what was seen, with no attribute if TTL is off; the same as text; and what is wrong with it, as a
 * sentence. A refusal is no error: the command goes on without it.
 */
export async function lookAtExpiry({ connection, tableName }: TableServices, table: TableNames) {
  try {
    const attribute = await expiryAttribute(connection.dynamoDb, tableName);
    const off = 'TTL is off, so that its attribute was not compared';
    const text = attribute === undefined ? off : `items expire by ${word(attribute)}`;
    return { seen: { attribute }, text, fault: wrongExpiry(table, `table ${tableName}`, attribute) };
  } catch (error) {
    if (!(error instanceof DenormError)) throw error;
    return { seen: { unseen: error.message }, text: `TTL was not looked at (${error.message})` };
  }
}
