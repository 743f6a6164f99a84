import { messageOf } from '../errors.ts';

/**
 * The embedded server gives each stream record the number after the highest one in its table, and finds that, the
 * records after a position and the ends of a shard by reading the whole table of records: a write takes twenty times as
 * long after 30,000 others. With these indexes it takes as long as the first.
 */
const statements = [
  'CREATE INDEX IF NOT EXISTS denorm_record_numbers ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
  'CREATE INDEX IF NOT EXISTS denorm_shard_records ON _stream_records (table_name, shard_id, sequence_number)',
];

type Sqlite = typeof import('node:sqlite');

/** Node's SQLite. Undefined before Node 22.5, and where Node was built without it. */
export async function nodeSqlite(): Promise<Sqlite | undefined> {
  try {
    return await import('node:sqlite');
  } catch {
    return undefined;
  }
}

/**
 * Indexes the stream records in the database file of a running embedded server. A file whose records have another shape is
 * left as it is.
 * @returns why writes will slow down as the stream grows. Undefined if the indexes exist.
 */
export function indexStreamRecords({ DatabaseSync }: Sqlite, file: string): string | undefined {
  try {
    const database = new DatabaseSync(file, { timeout: 5_000 });
    try {
      for (const statement of statements) database.exec(statement);
      return undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}
