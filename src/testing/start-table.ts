import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stackModel } from '../deploy/stack-model.ts';
import { stackSettings } from '../deploy/stack-settings.ts';
import { LocalError } from '../dev/errors.ts';
import { unansweredRules } from '../dev/table/embedded-table-server.ts';
import type { Config, RuleSettings } from '../model/rules/config.ts';

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
 * @throws LocalError if the embedded DynamoDB cannot start, `server.no-index` if it cannot serve one of the rules
 */
export async function startTable(config: Config, options: TestTableOptions = {}): Promise<TestTable> {
  const { tableName = 'test', port, ...settings } = options;
  const registry = config.registry(settings);
  // Imported here because it loads the SDK, which the conformance suite does not need.
  const { openDevEnvironment } = await import('../dev/dev-environment.ts');
  const { loopbackClientSettings } = await import('../dev/loopback.ts');
  const unanswered = unansweredRules(registry);
  if (unanswered.length > 0)
    throw new LocalError(
      'server.no-index',
      `Expected rules that the embedded DynamoDB can serve, got ${unanswered.join(', ')} with an index of several attributes, which it cannot query: leave them out with \`startTable(config, { disabled: [${unanswered.map((name) => `'${name}'`).join(', ')}] })\``,
    );
  const folder = mkdtempSync(join(tmpdir(), 'denorm-test-'));
  try {
    const environment = await openDevEnvironment({
      registry,
      tableName,
      stack: stackSettings(stackModel(registry)),
      stateDir: folder,
      ...(port !== undefined && { port }),
    });
    return {
      endpoint: environment.endpoint,
      tableName,
      clientSettings: loopbackClientSettings(environment.endpoint),
      archiveFolder: folder,
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
