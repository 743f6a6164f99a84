import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StackSettings } from '../../deploy/stack-settings.ts';
import { archiveFolderReader } from '../../develop/dev/archive-folder/reader.ts';
import { type DevEvents, localEvidence } from '../../develop/dev/dev-functions.ts';
import { loopbackClientSettings } from '../../develop/dev/loopback.ts';
import { deadLetterFolder } from '../../develop/dev/queue/dead-letter-folder.ts';
import { Journal } from '../../develop/page/server/journal.ts';
import { observedTable } from '../../develop/page/server/observed-table.ts';
import { type PageServer, startPageServer } from '../../develop/page/server/page-server.ts';
import { PageError } from '../../develop/page/server/page-source.ts';
import { newToken } from '../../develop/page/server/strangers.ts';
import type { Change } from '../../model/change.ts';
import type { CopyLocation } from '../../model/copy-location.ts';
import type { ItemKey } from '../../model/item.ts';
import type { Cursor } from '../../model/message.ts';
import type { Registry } from '../../model/registry.ts';
import { connect } from '../../operate/adapters/connection.ts';
import { dynamoDbTable } from '../../worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../../worker/adapters/dynamodb/read-pages.ts';
import { readStreamRecord } from '../../worker/adapters/stream-record.ts';
import { defaultSettings, type QueuePort, type TablePort } from '../../worker/ports.ts';
import { locationOf } from '../../worker/propagation/plan/rule-functions.ts';
import { editAttribute } from './edit-attribute.ts';
import { itemView } from './item-view.ts';
import { matchedRules } from './matched-rules.ts';
import { projectView } from './project-view.ts';
import { deadLettersView, redrive, verify } from './trouble.ts';

export interface DevPageOptions {
  readonly registry: Registry;
  readonly stack: StackSettings;
  readonly tableName: string;
  readonly archiveDir: string;
  readonly stateDir: string;
}

/** What `denorm dev` has opened. */
export interface OpenedTable {
  readonly endpoint: string;
  readonly queue: QueuePort | undefined;
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

/**
 * The page of `denorm dev`. Its journal begins with the worker, so that the page, once it is open, knows what happened
 * before.
 */
export class DevPage {
  private readonly options: DevPageOptions;
  private readonly journal: Journal;
  private endpoint: string | undefined;
  private connection: ReturnType<typeof connect> | undefined;
  private server: PageServer | undefined;

  constructor(options: DevPageOptions) {
    this.options = options;
    const { registry } = options;
    this.journal = new Journal({
      registry,
      matched: matchedRules(registry),
      count: (rule, root) => this.countCopies(rule, root),
    });
  }

  /** The events of the dev environment that the page hears, beside what the command does with them. */
  heard(others: DevEvents): DevEvents {
    const { registry } = this.options;
    return {
      ...others,
      onPropagation: (report, milliseconds) => {
        this.journal.propagated(report);
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
              const says = readStreamRecord(registry.table, record, localEvidence);
              return 'unreadable' in says ? [] : [says];
            }),
          );
        await others.onInvoked?.(name, event);
      },
    };
  }

  readonly watch = (table: TablePort): TablePort =>
    observedTable(table, this.journal.used, this.journal.writes);

  /**
   * Serves the page.
   * @returns its URL, or undefined if twenty ports from the wished one on are taken
   */
  async open({ endpoint, queue }: OpenedTable): Promise<string | undefined> {
    const { registry, tableName, archiveDir, stateDir, stack } = this.options;
    this.endpoint = endpoint;
    this.connection = connect(loopbackClientSettings(endpoint));
    const { access } = this;
    const table = dynamoDbTable(access);
    const reader = deadLetterFolder(stateDir);
    const archive =
      stack.Archive === undefined ? undefined : archiveFolderReader(archiveDir, { readsGlacier: true });
    const settings = { ...defaultSettings, pageLimit: stack.pageLimit };
    const item = { registry, table, settings, archive };
    let isVerifying = false;
    this.server = await startPageServer(
      {
        project: projectView({
          ...{ registry, table: tableName, where: `at ${endpoint}` },
          abilities: ['edit', 'verify', ...(queue === undefined ? [] : (['changes', 'redrive'] as const))],
        }),
        // Without a worker, nothing travels.
        ...(queue !== undefined && { journal: this.journal }),
        item: (key) => itemView(item, key),
        edit: (edit) => editAttribute(table, registry.table, edit),
        deadLetters: () => deadLettersView(reader, registry),
        ...(queue !== undefined && { redrive: (ids) => redrive(reader, registry, queue, ids) }),
        verify: async () => {
          if (isVerifying)
            throw new PageError(
              'page.busy',
              'Expected no other verify, got one that still runs: wait for its end',
            );
          isVerifying = true;
          try {
            return await verify(registry, table, dynamoDbScan(access));
          } finally {
            isVerifying = false;
          }
        },
      },
      Number(new URL(endpoint).port) + 1,
      await keptToken(stateDir),
    );
    return this.server?.url;
  }

  async close(): Promise<void> {
    await this.server?.close();
    this.connection?.close();
  }

  private get access() {
    const { registry, tableName } = this.options;
    if (this.connection === undefined)
      throw new PageError('page.busy', 'Expected an open page: open it first');
    return { client: this.connection.dynamoDb, tableName, table: registry.table };
  }

  private async countCopies(name: string, key: ItemKey): Promise<number | undefined> {
    const { registry } = this.options;
    const rule = registry.rule(name);
    if (this.endpoint === undefined || rule === undefined) return undefined;
    const root = await dynamoDbTable(this.access).get(key);
    if (root === undefined) return undefined;
    return await countLocation(dynamoDbTable(this.access), locationOf(registry.table, rule, root));
  }
}

/** How many items a location holds now. */
async function countLocation(table: TablePort, location: CopyLocation): Promise<number> {
  if (location.in === 'key') return 1;
  if (location.in === 'keys') return location.keys.length;
  let count = 0;
  let from: Cursor | undefined;
  do {
    const page = await table.query(location, 1000, from);
    count += page.entries.length;
    from = page.next;
  } while (from !== undefined);
  return count;
}
