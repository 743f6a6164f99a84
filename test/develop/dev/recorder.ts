import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { afterEach } from 'vitest';
import type { StreamMappingSettings } from '../../../src/deploy/stack-settings.ts';
import {
  type EventSource,
  type EventSourceOptions,
  type MappedFunction,
  startEventSource,
} from '../../../src/develop/dev/event-source/event-source.ts';
import type { OnFailureRecord } from '../../../src/develop/dev/event-source/on-failure-folder.ts';
import type { StreamPort } from '../../../src/develop/dev/event-source/stream-port.ts';
import { mappingSettings, sequenceNumbers } from './stream-records.ts';

/** A function that records its invocations. */
export class Recorder implements MappedFunction {
  readonly name: string;
  readonly settings: StreamMappingSettings;
  readonly batches: DynamoDBRecord[][] = [];
  readonly answer: (batch: DynamoDBRecord[]) => Promise<DynamoDBBatchResponse | undefined>;

  constructor(
    settings: Partial<StreamMappingSettings> = {},
    answer: Recorder['answer'] = async () => undefined,
    name = 'Propagate',
  ) {
    this.name = name;
    this.settings = mappingSettings(settings);
    this.answer = answer;
  }

  readonly invoke: MappedFunction['invoke'] = async ({ Records }) => {
    this.batches.push(Records);
    return this.answer(Records);
  };

  get numbers(): string[] {
    return sequenceNumbers(this.batches.flat());
  }
}

let source: EventSource | undefined;

/** The batches that were given up since the test began. */
export const failures: OnFailureRecord[] = [];

afterEach(async () => {
  await source?.stop();
  failures.splice(0);
});

/** An event source that ends with the test, and retries quickly. */
export function begin(
  stream: StreamPort,
  functions: MappedFunction[],
  more: Partial<EventSourceOptions> = {},
): EventSource {
  source = startEventSource({
    stream,
    functions,
    onFailure: async (record) => failures.push(record),
    retryDelay: { first: 1, max: 2 },
    ...more,
  });
  return source;
}
