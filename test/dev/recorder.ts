import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import type { StreamMappingSettings } from '../../src/deploy/stack-settings.ts';
import type { MappedFunction } from '../../src/dev/event-source/delivery.ts';
import {
  type EventSource,
  type EventSourceOptions,
  startEventSource,
} from '../../src/dev/event-source/event-source.ts';
import type { OnFailureRecord } from '../../src/dev/event-source/on-failure-folder.ts';
import type { StreamPort } from '../../src/operate/adapters/dynamodb/stream-port.ts';
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

/** The batches that the event source of this test has given up. */
export const failures: OnFailureRecord[] = [];

/** An event source that ends with the test, and retries quickly. */
export function begin(
  stream: StreamPort,
  functions: MappedFunction[],
  more: Partial<EventSourceOptions> = {},
): EventSource {
  const source = startEventSource({
    stream,
    functions,
    onFailure: async (record) => failures.push(record),
    retryDelayMs: { first: 1, max: 2 },
    ...more,
  });
  onTestFinished(async () => {
    await source.stop();
    failures.splice(0);
  });
  return source;
}
