import type { Registry } from '../../model/rules/registry.ts';
import type { StreamFunction } from '../../model/work/settings.ts';
import { arnOf, comments, oneLine, type Properties, ref, type Value, when } from '../cloudformation.ts';
import { mappingFilters, maxPatterns } from '../needs/mapping-filters.ts';
import { streamArn } from './table.ts';

export interface StreamReader {
  readonly condition: string;
  readonly BatchSize: number;
  /** Seconds. */
  readonly window: Value;
  readonly lanes: number;
  /** Why so many lanes. */
  readonly why: string;
}

export function streamEvent(registry: Registry, name: StreamFunction, reader: StreamReader): Properties {
  const { condition, BatchSize, window, lanes, why } = reader;
  return {
    Stream: {
      Type: 'DynamoDB',
      Properties: {
        Stream: streamArn,
        Enabled: when(condition, true, false),
        StartingPosition: 'TRIM_HORIZON',
        BatchSize,
        MaximumBatchingWindowInSeconds: window,
        ParallelizationFactor: lanes,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: -1,
        MaximumRecordAgeInSeconds: 23 * 3600,
        MetricsConfig: { Metrics: ['EventCount'] },
        DestinationConfig: { OnFailure: { Type: 'S3', Destination: arnOf(`${name}FailureBucket`) } },
        FilterCriteria: filterCriteria(registry, name),
        [comments]: {
          StartingPosition: 'LATEST could miss writes while the mapping is created.',
          ParallelizationFactor: why,
          MaximumRetryAttempts:
            'Bounded by time alone: Lambda documents no interval between retries, so a number of them may be used up in minutes.\nAt 23 hours a record goes whole to the failure bucket; at 24 the stream would drop it silently.',
        },
      },
    },
  };
}

/** Without filters, a mapping passes everything. */
const nothing = {
  pattern: { eventName: ['none'] },
  kinds: ['No rule reads the stream here: no record has this name.'],
};

/** The filters that follow from the rules, each with the names of its kinds. AWS documents `.*` for a pattern: no line break. */
function filterCriteria(registry: Registry, name: StreamFunction): Properties {
  const { exact, filters } = mappingFilters(registry, name);
  const broader = `Broader than the rules: their kinds need ${exact} filters, and a mapping takes ${maxPatterns}. Records of other items\npass too; the function ignores them.`;
  return {
    Filters: (filters.length > 0 ? filters : [nothing]).map(({ pattern, kinds }) => ({
      Pattern: oneLine(pattern),
      [comments]: { Pattern: kinds.join(', ') },
    })),
    ...(exact > maxPatterns && { [comments]: { Filters: broader } }),
  };
}

export const queueEvent: Properties = {
  Messages: {
    Type: 'SQS',
    Properties: {
      Queue: arnOf('FanOutQueue'),
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 10 },
      [comments]: {
        ScalingConfig: 'Limits the table capacity that fan-outs use: at most so many batches at once.',
      },
    },
  },
};

/** A function that stops itself before its 15 minutes are over. The next run continues anyway, so a lost one is not retried for long. */
export function scheduled(parameter: string, condition: string) {
  return {
    Timeout: 900,
    EventInvokeConfig: { MaximumEventAgeInSeconds: 3600, MaximumRetryAttempts: 1 },
    Events: timer(ref(parameter), when(condition, 'ENABLED', 'DISABLED')),
  };
}

export const timer = (Schedule: Value, State: Value): Properties => ({
  Timer: { Type: 'Schedule', Properties: { Schedule, State } },
});
