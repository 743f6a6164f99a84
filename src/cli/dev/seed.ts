import { localEvidence } from '../../develop/dev/dev-functions.ts';
import { loopbackClientSettings } from '../../develop/dev/loopback.ts';
import { type ItemKey, keyText } from '../../model/item.ts';
import type { Registry } from '../../model/registry.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { dynamoDbPut } from '../../operate/adapters/dynamodb/put-item.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import type { EventRecord } from '../explain/explain.ts';
import { readJson } from '../options/arguments.ts';
import { warn } from '../output/terminal.ts';
import { counted, keyJson } from '../output/text.ts';
import { visible, word } from '../output/visible.ts';

export interface Seeding {
  readonly registry: Registry;
  readonly endpoint: string;
  readonly tableName: string;
  readonly files: readonly string[];
}

/**
 * Puts the items of events into the table, as each event says they are afterwards, and warns of roots that it lacks: a function
 * writes nothing for these.
 * @returns the function that takes the first event
 * @throws DenormError `usage.file`, `event.unreadable` for a file without an event
 */
export async function seed({
  registry,
  endpoint,
  tableName,
  files,
}: Seeding): Promise<'Propagate' | 'FanOut'> {
  // Imported here, because few need them.
  const [{ readEvent }, { askedBy }] = await Promise.all([
    import('../explain/explain.ts'),
    import('../../develop/dry-run/planner.ts'),
  ]);
  const events: (readonly EventRecord[])[] = [];
  for (const file of files)
    events.push(
      readEvent(registry, localEvidence, await readJson(file, 'an event, such as those in events/')),
    );
  const records = events.flat();
  const changes = records.flatMap((record) => ('change' in record ? [record.change] : []));
  const connection = connect(loopbackClientSettings(endpoint));
  try {
    const access = { client: connection.dynamoDb, tableName, table: registry.table };
    const put = dynamoDbPut(access);
    const images = changes.flatMap(({ after }) => (after === undefined ? [] : [after]));
    for (const item of images) await put.overwrite(item);
    warn(`put ${counted(images.length, 'item')} of ${files.map(visible).join(', ')} into table ${tableName}`);
    const messages = records.flatMap((record) => ('message' in record ? [record.message] : []));
    const { propagations, checks } = askedBy(registry, changes);
    const removed = new Set(changes.flatMap(({ key, after }) => (after === undefined ? [keyText(key)] : [])));
    const asked = [
      ...propagations.map(({ message: { rule, root } }) => ({ rule, root })),
      ...checks.map(({ rule, root }) => ({ rule: rule.name, root })),
      ...messages.map(({ rule, root }) => ({ rule, root })),
    ].filter(({ root }) => !removed.has(keyText(root)));
    const table = dynamoDbTable(access);
    for (const { rule, root } of onceEach(asked))
      if ((await table.get(root)) === undefined)
        warn(
          `${word(rule)}: the root ${keyJson(root)} does not exist in table ${tableName}, so no copy is written: seed an event of it too`,
        );
  } finally {
    connection.close();
  }
  return events[0]?.some((record) => 'message' in record) ? 'FanOut' : 'Propagate';
}

type Root = { readonly rule: string; readonly root: ItemKey };

function onceEach(roots: readonly Root[]): readonly Root[] {
  return [...new Map(roots.map((one) => [`${one.rule} ${keyText(one.root)}`, one])).values()];
}
