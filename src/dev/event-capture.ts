import type { DynamoDBRecord, SQSRecord } from 'aws-lambda';
import { jsonOrUndefined } from '../model/basics/parse-json.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { Registry } from '../model/rules/registry.ts';
import { messageSchema } from '../model/work/message-schemas.ts';
import { readStreamRecord } from '../worker/adapters/stream-record.ts';
import { Folder } from './folder.ts';

export interface LambdaEvent {
  readonly Records: readonly (DynamoDBRecord | SQSRecord)[];
}

/**
 * Writes events to a folder: for each function, kind of item and sort of change, the newest one, with a single record. The
 * files contain item content. `denorm explain` and `sam local invoke` take them.
 * @throws DenormError if the folder cannot be written
 */
export function eventCapture(path: string, registry: Registry) {
  const folder = new Folder(path);
  return async (name: string, { Records }: LambdaEvent): Promise<void> => {
    const newest = new Map(Records.map((record) => [fileOf(name, record, registry), record]));
    for (const [file, record] of newest)
      await folder.write(file, `${JSON.stringify({ Records: [record] }, undefined, 2)}\n`);
  };
}

/** `propagate-post-modify.json`, `archive-order-expire.json`, `fan-out-author-on-posts.json`. */
function fileOf(name: string, record: DynamoDBRecord | SQSRecord, registry: Registry): string {
  const of = 'body' in record ? ruleOf(record) : changeOf(record, registry);
  return `${kebab(name)}-${of}.json`;
}

function ruleOf({ body }: SQSRecord): string {
  return kebab(messageSchema.safeParse(jsonOrUndefined(body)).data?.rule ?? 'unreadable');
}

function changeOf(record: DynamoDBRecord, registry: Registry): string {
  const change = readStreamRecord(registry.table, record, { globalTableReplica: false });
  if ('unreadable' in change) return 'unreadable';
  const item = change.after ?? change.before ?? {};
  const kind = registry.kinds.find((one) => isOfKind(one, item));
  return `${kind === undefined ? 'other' : kebab(kind.name)}-${change.expired ? 'expire' : (record.eventName ?? 'change').toLowerCase()}`;
}

function kebab(name: string): string {
  return name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();
}
