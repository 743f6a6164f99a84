import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveFilters, propagateFilters } from '../../deploy/mapping-filters.ts';
import type { Config, RuleSettings } from '../../model/config.ts';
import type { Registry } from '../../model/registry.ts';
import type { IndexNames, TableNames } from '../../model/table-names.ts';
import { defaultSettings } from '../../worker/ports.ts';
import type { TemplateSettings } from '../dev/template.ts';

export interface TestTableOptions extends RuleSettings {
  /** Default: `test`. */
  readonly tableName?: string;
  /** Port of the embedded DynamoDB on 127.0.0.1. Default: a free one. */
  readonly port?: number;
}

/** An embedded table with the worker beside it, for one test file. */
export interface TestTable {
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  readonly tableName: string;
  /** For `new DynamoDBClient(…)`: the endpoint, a region and credentials, which may be any. */
  readonly clientSettings: {
    readonly endpoint: string;
    readonly region: string;
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  };
  /** Folder of the archive, laid out as the bucket. Removed by `close`. */
  readonly archiveFolder: string;
  /** Resolves when all writes so far are propagated and archived, delayed rechecks included. */
  idle(): Promise<void>;
  /** Ends worker and table. The data is gone. */
  close(): Promise<void>;
}

/**
 * Starts an embedded DynamoDB with an empty table as the config names it, and the worker with the config's rules.
 * @throws LocalError if the embedded DynamoDB cannot start
 */
export async function startTable(config: Config, options: TestTableOptions = {}): Promise<TestTable> {
  const { tableName = 'test', port, ...settings } = options;
  const registry = config.registry(settings);
  // Imported here because it loads the SDK, which the conformance suite does not need.
  const { openDevEnvironment } = await import('../dev/dev-environment.ts');
  const { loopbackClientSettings } = await import('../dev/loopback.ts');
  const folder = mkdtempSync(join(tmpdir(), 'denorm-test-'));
  const archiveFolder = join(folder, 'archive');
  try {
    const environment = await openDevEnvironment({
      ...{ registry, tableName, template: settingsOf(registry), archiveDir: archiveFolder, stateDir: folder },
      ...(port !== undefined && { port }),
    });
    return {
      endpoint: environment.endpoint,
      tableName,
      clientSettings: loopbackClientSettings(environment.endpoint),
      archiveFolder,
      async idle() {
        await environment.idle();
        environment.deliverDelayedNow();
        await environment.idle();
      },
      async close() {
        await environment.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** What `denorm dev` reads from a template, from the rules alone: a test must not depend on a deployment's settings. */
function settingsOf(registry: Registry): TemplateSettings {
  return {
    table: definitionOf(registry.table),
    functions: {
      Propagate: { timeoutSeconds: 60, mapping: mappingOf(propagateFilters(registry)) },
      Archive: { timeoutSeconds: 60, mapping: mappingOf(archiveFilters(registry)) },
      FanOut: {
        timeoutSeconds: 60,
        mapping: {
          Enabled: true,
          BatchSize: 10,
          MaximumBatchingWindowInSeconds: 0,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          Queue: { 'Fn::GetAtt': ['FanOutQueue', 'Arn'] },
        },
        visibilityTimeoutSeconds: 30,
        delaySeconds: 0,
        maxReceiveCount: 10,
      },
    },
    parameters: new Map([
      ['PageLimit', defaultSettings.pageLimit],
      ['RecheckDelaySeconds', defaultSettings.recheckDelaySeconds],
    ]),
  };
}

function mappingOf(patterns: readonly object[]): TemplateSettings['functions']['Propagate']['mapping'] {
  return {
    Enabled: true,
    BatchSize: 100,
    MaximumBatchingWindowInSeconds: 0,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    FilterCriteria: { Filters: patterns.map((Pattern) => ({ Pattern: { ...Pattern } })) },
    StartingPosition: 'TRIM_HORIZON',
    ParallelizationFactor: 1,
    BisectBatchOnFunctionError: false,
    MaximumRetryAttempts: -1,
    MaximumRecordAgeInSeconds: -1,
  };
}

function definitionOf(table: TableNames): TemplateSettings['table'] {
  const indexes = Object.values(table.indexes);
  const names = new Set([table.pk, table.sk, ...indexes.flatMap(({ pk, sk }) => [pk, sk])]);
  return {
    KeySchema: keySchema(table),
    AttributeDefinitions: [...names].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchema(index),
      Projection: { ProjectionType: 'ALL' },
    })),
    StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    TimeToLiveSpecification: { AttributeName: table.ttl },
  };
}

function keySchema({ pk, sk }: Pick<IndexNames, 'pk' | 'sk'>): TemplateSettings['table']['KeySchema'] {
  return [
    { AttributeName: pk, KeyType: 'HASH' },
    { AttributeName: sk, KeyType: 'RANGE' },
  ];
}
