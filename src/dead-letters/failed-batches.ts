/** Where batches stand that were given up: objects by key. Throws `TransientError` and `FatalError` as the table does. */
export interface FailedBatches {
  /** Where that is, for people: `s3://name`, a folder. */
  readonly name: string;
  /** All keys, those of a shard oldest first. */
  keys(): AsyncIterable<string>;
  /** What stands there; undefined where nothing does any more. */
  read(key: string): Promise<string | undefined>;
  /** Removes it. One that is gone already is no error. */
  remove(key: string): Promise<void>;
}

/** The functions that read the stream, by their logical ids in `template.yaml`. */
export const streamFunctions = ['Propagate', 'Archive'] as const;
export type StreamFunction = (typeof streamFunctions)[number];
