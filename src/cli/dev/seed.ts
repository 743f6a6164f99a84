import { localEvidence } from '../../dev/dev-functions.ts';
import { loopbackClientSettings } from '../../dev/loopback.ts';
import { askedBy } from '../../explain/dry-run/planner.ts';
import { readEvent } from '../../explain/explain.ts';
import { counted } from '../../model/basics/text.ts';
import { keyText } from '../../model/items/item.ts';
import type { Registry } from '../../model/rules/registry.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { dynamoDbPut } from '../../operate/adapters/dynamodb/write-item.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { readJson } from '../options/arguments.ts';
import { warn } from '../output/terminal.ts';
import { keyJson } from '../output/text.ts';

/**
 * Puts the items of events into the table, as each event leaves them, and warns of roots that it lacks: a function writes nothing
 * for these.
 * @returns the function that takes the first event
 * @throws DenormError `usage.file`, `event.unreadable` for a file without an event
 */
export async function seed(
  files: readonly string[],
  registry: Registry,
  { endpoint, tableName }: { readonly endpoint: string; readonly tableName: string },
): Promise<'Propagate' | 'FanOut'> {
  const events = await Promise.all(files.map((file) => readJson(file, 'an event, such as those in events/')));
  const records = events.flatMap((event) => readEvent(registry, localEvidence, event));
  const changes = records.flatMap((record) => ('change' in record ? [record.change] : []));
  const messages = records.flatMap((record) => ('message' in record ? [record.message] : []));
  const connection = connect(loopbackClientSettings(endpoint));
  const access = { client: connection.dynamoDb, tableName, table: registry.table };
  try {
    const images = changes.flatMap(({ after }) => (after === undefined ? [] : [after]));
    for (const item of images) await dynamoDbPut(access).overwrite(item);
    warn(`put ${counted(images.length, 'item')} of ${files.join(', ')} into table ${tableName}`);
    const { propagations, checks } = askedBy(registry, changes);
    const needed = [...messages, ...propagations.map(({ message }) => message), ...checks];
    const roots = new Map(needed.map(({ root }) => [keyText(root), root]));
    for (const { key, after } of changes) if (after === undefined) roots.delete(keyText(key));
    for (const root of roots.values())
      if ((await dynamoDbTable(access).get(root)) === undefined)
        warn(
          `the root ${keyJson(registry.table, root)} does not exist in table ${tableName}, so no copy of it is written: seed an event of it too`,
        );
  } finally {
    connection.close();
  }
  const [first] = records;
  return first !== undefined && 'message' in first ? 'FanOut' : 'Propagate';
}
