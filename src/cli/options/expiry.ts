import { DenormError } from '../../model/basics/errors.ts';
import { expiryAttribute } from '../../operate/adapters/dynamodb/describe-table.ts';
import type { TableServices } from './services.ts';

/** How the items of a table expire: by no attribute if TTL is off. */
export interface Expiry {
  readonly attribute?: string | undefined;
  /** Why it was not looked at. */
  readonly unseen?: string;
}

/** To be refused that is no error: what a command is for goes on without it. */
export async function lookAtExpiry({ connection, tableName }: TableServices): Promise<Expiry> {
  try {
    return { attribute: await expiryAttribute(connection.dynamoDb, tableName) };
  } catch (error) {
    if (error instanceof DenormError) return { unseen: error.message };
    throw error;
  }
}
