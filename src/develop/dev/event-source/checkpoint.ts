import type { DynamoDBRecord } from 'aws-lambda';
import { digest } from '../digest.ts';
import type { StreamPort } from './stream-port.ts';

/** A position in a shard, after a record. */
export interface SavedPosition {
  /** The record's sequence number. */
  readonly after: string;
  /** A digest of the record, because a stream that begins anew gives the same number to another one. */
  readonly digest: string;
}

/** Positions by function and shard. */
export type Positions = Readonly<Record<string, Readonly<Record<string, SavedPosition>>>>;

export function savedPosition(record: DynamoDBRecord): SavedPosition {
  return { after: record.dynamodb?.SequenceNumber ?? '', digest: digest(record) };
}

/** Those of the positions whose record is still in the stream. */
export async function presentPositions(stream: StreamPort, positions: Positions): Promise<Positions> {
  const present: Record<string, Record<string, SavedPosition>> = {};
  for (const [name, shards] of Object.entries(positions)) {
    present[name] = {};
    for (const [shardId, position] of Object.entries(shards))
      if (await isPresent(stream, shardId, position)) present[name][shardId] = position;
  }
  return present;
}

async function isPresent(stream: StreamPort, shardId: string, position: SavedPosition): Promise<boolean> {
  try {
    const { records } = await stream.records(await stream.iterator(shardId, { at: position.after }));
    return records[0] !== undefined && savedPosition(records[0]).digest === position.digest;
  } catch {
    // The shard or the record is gone. If the stream is unreachable, its reader says so.
    return false;
  }
}
