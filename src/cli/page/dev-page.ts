import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackSettings } from '../../deploy/stack-settings.ts';
import { type DevEvents, localEvidence } from '../../develop/dev/dev-functions.ts';
import { failedBatchFolder } from '../../develop/dev/event-source/on-failure-folder.ts';
import { loopbackClientSettings } from '../../develop/dev/loopback.ts';
import { deadLetterFolder } from '../../develop/dev/queue/dead-letter-folder.ts';
import { Journal } from '../../develop/page/server/journal.ts';
import type { RuleMatch } from '../../develop/page/server/journal-entry.ts';
import { newToken } from '../../develop/page/server/page-guard.ts';
import { type PageServer, startPageServer } from '../../develop/page/server/page-server.ts';
import { accepted, dropSchema, editSchema, idsSchema, keyIn } from '../../develop/page/server/page-source.ts';
import type { Change } from '../../model/change.ts';
import type { Registry } from '../../model/registry.ts';
import type { PropagationReport } from '../../model/report.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { dynamoDbPut } from '../../operate/adapters/dynamodb/put-item.ts';
import { withFailedBatches } from '../../operate/dead-letters/with-failed-batches.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import { defaultSettings, type QueuePort, type TablePort } from '../../worker/ports.ts';
import { rulesOfChange } from '../explain/rules-of-change.ts';
import { keyOfJson } from '../output/text.ts';
import { editAttribute } from './edit-attribute.ts';
import { exampleView, writeExample } from './example.ts';
import { drop, failuresView, redrive } from './failures.ts';
import { countCopies, itemView, partitionView } from './item-view.ts';
import { projectView } from './project-view.ts';
import { verify } from './verify.ts';

export interface DevPageOptions {
  readonly registry: Registry;
  readonly stack: StackSettings;
  readonly tableName: string;
  readonly stateDir: string;
}

export interface OpenedTable {
  readonly endpoint: string;
  /** Undefined without a worker: then nothing travels. */
  readonly queue: QueuePort | undefined;
}

/** Its journal begins with the worker, so that the page, once it is open, knows what happened before. */
export class DevPage {
  private readonly options: DevPageOptions;
  private readonly journal: Journal;
  private readonly listeners = new Set<(report: PropagationReport) => void>();
  private table: TablePort | undefined;
  private connection: ReturnType<typeof connect> | undefined;
  private server: PageServer | undefined;

  constructor(options: DevPageOptions) {
    this.options = options;
    const { registry } = options;
    this.journal = new Journal({
      registry,
      match: (change) => matchRules(registry, change),
      count: async (rule, root) => this.table && (await countCopies(registry, this.table, { rule, root })),
    });
  }

  /** The events of the dev environment that the page hears, beside what the command does with them. */
  heard(others: DevEvents): DevEvents {
    const { table } = this.options.registry;
    return {
      ...others,
      onPropagation: (report, milliseconds) => {
        this.journal.propagated(report);
        for (const hears of this.listeners) hears(report);
        others.onPropagation?.(report, milliseconds);
      },
      onArchived: (report, milliseconds) => {
        this.journal.archived(report);
        others.onArchived?.(report, milliseconds);
      },
      onInvoked: async (name, event) => {
        // Both read the stream; a record that both read is one change.
        if (name !== 'FanOut')
          this.journal.seen(
            event.Records.flatMap((record): Change[] => {
              const change = readStreamRecord(table, record, localEvidence);
              return 'unreadable' in change ? [] : [change];
            }),
          );
        await others.onInvoked?.(name, event);
      },
    };
  }

  readonly watch = (table: TablePort): TablePort => this.journal.writes.of(table);

  /** @returns the page's URL, or undefined if twenty ports from the wished one on are taken */
  async open({ endpoint, queue }: OpenedTable): Promise<string | undefined> {
    const { registry, tableName, stateDir, stack } = this.options;
    this.connection = connect(loopbackClientSettings(endpoint));
    const access = { client: this.connection.dynamoDb, tableName, table: registry.table };
    const table = dynamoDbTable(access);
    this.table = table;
    const letters = deadLetterFolder(stateDir);
    const failures = withFailedBatches(letters, [failedBatchFolder(join(stateDir, 'on-failure'))]);
    const source = { registry, table, settings: { ...defaultSettings, pageLimit: stack.pageLimit } };
    let verifying: ReturnType<typeof verify> | undefined;
    this.server = await startPageServer(
      {
        project: projectView(registry, { table: tableName, where: `at ${endpoint}`, endpoint }),
        ...(queue !== undefined && { journal: this.journal }),
        routes: {
          'GET /api/item': ({ parameters }) => itemView(source, keyIn(registry.table, parameters)),
          'GET /api/items': ({ parameters }) => partitionView(registry, table, parameters),
          'POST /api/item': ({ body }) => editAttribute(table, registry.table, accepted(editSchema, body)),
          'GET /api/example': () => exampleView(registry),
          'POST /api/example': () => writeExample(registry, { ...table, ...dynamoDbPut(access) }),
          'GET /api/failures': () => failuresView(failures, registry, { source }),
          'POST /api/drop': ({ body }) => drop(failures, accepted(dropSchema, body)),
          ...(queue !== undefined && {
            'POST /api/redrive': ({ body }) =>
              redrive({ reader: letters, registry, queue, hear: this.hear }, accepted(idsSchema, body).ids),
          }),
          'POST /api/verify': () => {
            verifying ??= verify(registry, table, dynamoDbScan(access)).finally(() => {
              verifying = undefined;
            });
            return verifying;
          },
        },
      },
      Number(new URL(endpoint).port) + 1,
      await keptToken(stateDir),
    );
    return this.server?.url;
  }

  private readonly hear = (hears: (report: PropagationReport) => void) => {
    this.listeners.add(hears);
    return () => void this.listeners.delete(hears);
  };

  async close(): Promise<void> {
    await this.server?.close();
    this.connection?.close();
  }
}

export function matchRules(registry: Registry, change: Change): readonly RuleMatch[] {
  return rulesOfChange(registry, change).flatMap(({ rule, as, asks, why, of }) => {
    const keys = as === 'copy' || as === 'member' ? of.map(keyOfJson) : [change.key];
    const roots = asks === 'nothing' ? [undefined] : keys;
    return roots.map((root) => ({ rule, why, asks, root }));
  });
}

/** The token of the last run, so that a page that is open connects again; a new one if there was none. */
async function keptToken(stateDir: string): Promise<string> {
  const file = join(stateDir, 'page-token');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^[\w-]{24}$/.test(kept)) return kept;
  const token = newToken();
  await mkdir(stateDir, { recursive: true });
  await writeFile(file, token, { mode: 0o600 });
  return token;
}
