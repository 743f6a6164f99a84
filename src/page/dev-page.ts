import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { archiveFolderReader, folderNotes } from '../dev/archive-folder.ts';
import type { DevEnvironment, DevEnvironmentOptions } from '../dev/dev-environment.ts';
import { type DevEvents, localEvidence } from '../dev/dev-functions.ts';
import type { LambdaEvent } from '../dev/event-capture.ts';
import { failedBatchFolder } from '../dev/event-source/on-failure-folder.ts';
import { loopbackClientSettings } from '../dev/loopback.ts';
import { deadLetterFolder } from '../dev/queue/dead-letter-folder.ts';
import { rulesOfChange } from '../explain/rules-of-change.ts';
import type { Change } from '../model/items/change.ts';
import type { ItemKey } from '../model/items/item.ts';
import type { Registry } from '../model/rules/registry.ts';
import type { Message } from '../model/work/message.ts';
import type { PropagationReport } from '../model/work/report.ts';
import { connect } from '../operate/adapters/connection.ts';
import { dynamoDbPut } from '../operate/adapters/dynamodb/write-item.ts';
import { withFailedBatches } from '../operate/dead-letters/dead-letters.ts';
import { dynamoDbTable } from '../worker/adapters/dynamodb/dynamodb-table.ts';
import { dynamoDbScan } from '../worker/adapters/dynamodb/read-pages.ts';
import { readStreamRecord } from '../worker/adapters/stream-record.ts';
import { defaultSettings, type TablePort } from '../worker/ports.ts';
import { readMessage } from '../worker/propagation/fan-out-batch.ts';
import type { ItemsView } from './protocol/views.ts';
import { Journal } from './server/journal.ts';
import type { RuleMatch } from './server/journal-entry.ts';
import { newToken } from './server/page-guard.ts';
import { type PageServer, startPageServer } from './server/page-server.ts';
import {
  acceptedBody,
  dropSchema,
  editSchema,
  idsSchema,
  keyOfRequest,
  shared,
} from './server/page-source.ts';
import { archivedView, goneItems } from './views/archived.ts';
import { editAttribute } from './views/edit-attribute.ts';
import { exampleView, writeExample } from './views/example.ts';
import { endsOf, historyOf } from './views/item-history.ts';
import { countCopies, itemView } from './views/item-view.ts';
import { listView, queryView } from './views/items-view.ts';
import { projectView } from './views/project-view.ts';
import { dropFailures, failuresView, redriveFailures, verify } from './views/trouble.ts';

type DevPageOptions = Pick<DevEnvironmentOptions, 'registry' | 'stack' | 'tableName' | 'stateDir'>;

/** Its journal begins with the worker, so that the page, once it is open, knows what happened before. */
export function devPage({ registry, stack, tableName, stateDir }: DevPageOptions) {
  const since = Date.now();
  const listeners = new Set<(report: PropagationReport) => void>();
  let opened: { readonly table: TablePort; readonly close: () => void } | undefined;
  let server: PageServer | undefined;
  const journal = new Journal({
    registry,
    match: (change) => matchRules(registry, change),
    count: async (rule, root) => opened && (await countCopies(registry, opened.table, { rule, root })),
  });
  const hear = (hears: (report: PropagationReport) => void) => {
    listeners.add(hears);
    return () => void listeners.delete(hears);
  };

  return {
    /** The events of the dev environment that the page hears, beside what the command does with them. */
    heard(others: DevEvents): DevEvents {
      return {
        ...others,
        onPropagation(report, milliseconds) {
          journal.propagated(report);
          for (const hears of listeners) hears(report);
          others.onPropagation?.(report, milliseconds);
        },
        onArchived(report, milliseconds) {
          journal.archived(report);
          others.onArchived?.(report, milliseconds);
        },
        onDeadLettered(letter) {
          journal.deadLettered(letter);
          others.onDeadLettered?.(letter);
        },
        onChange(change) {
          journal.seen([change], 'stream');
          others.onChange?.(change);
        },
        async onInvoked(name, event) {
          if (name !== 'FanOut')
            journal.seen(changesIn(registry, event), name === 'Archive' ? 'archive' : 'propagation');
          await others.onInvoked?.(name, event);
        },
        onPropagated(event, paused) {
          journal.checked(changesIn(registry, event), paused);
          others.onPropagated?.(event, paused);
        },
      };
    },

    watch: (table: TablePort, event: LambdaEvent): TablePort =>
      journal.tableOfRun(table, changesIn(registry, event), messagesIn(event)),

    /** @returns the page's URL, or undefined if twenty ports from the wished one on are taken */
    async open({ endpoint, queue }: Pick<DevEnvironment, 'endpoint' | 'queue'>): Promise<string | undefined> {
      const connection = connect(loopbackClientSettings(endpoint));
      const access = { client: connection.dynamoDb, tableName, table: registry.table };
      const table = dynamoDbTable(access);
      const scan = dynamoDbScan(access);
      opened = { table, close: () => connection.close() };
      const letters = deadLetterFolder(stateDir);
      const failures = withFailedBatches(letters, [failedBatchFolder(join(stateDir, 'on-failure'))]);
      const source = { registry, table, settings: { ...defaultSettings, pageLimit: stack.pageLimit } };
      const archive = { reader: archiveFolderReader(stateDir), notes: folderNotes(stateDir) };
      const itemOf = async (key: ItemKey) => {
        const [view, archived] = await Promise.all([
          itemView(source, key),
          archivedView(registry, archive, key),
        ]);
        const logged = journal.log.of(key);
        const history = queue && { since, events: historyOf(logged, archived) };
        const ends = view.item === undefined ? endsOf(logged, archived, Date.now()) : [];
        return { ...view, archived, history, ends };
      };
      const withGone = async (list: Promise<ItemsView>, asked: URLSearchParams) => {
        const view = await list;
        const gone = await goneItems(registry, table, archive.reader, asked);
        return gone === undefined ? view : { ...view, gone };
      };
      server = await startPageServer(
        {
          project: projectView(registry, { table: tableName, where: `at ${endpoint}`, endpoint }),
          ...(queue !== undefined && { journal }),
          routes: {
            'GET /api/item': ({ parameters }) => itemOf(keyOfRequest(registry.table, parameters)),
            'GET /api/items': ({ parameters }) =>
              withGone(queryView({ ...source, log: journal.log }, parameters), parameters),
            'GET /api/list': ({ parameters }) =>
              withGone(listView({ ...source, scan, log: journal.log }, parameters), parameters),
            'POST /api/item': ({ body }) =>
              editAttribute(table, registry.table, acceptedBody(editSchema, body)),
            'GET /api/example': () => exampleView(registry),
            'POST /api/example': () =>
              writeExample(registry, { ...table, ...dynamoDbPut(access) }, (keys) =>
                journal.hasProcessed(keys),
              ),
            'GET /api/failures': () => failuresView(failures, registry, { source }),
            'POST /api/drop': ({ body }) => dropFailures(failures, acceptedBody(dropSchema, body)),
            ...(queue !== undefined && {
              'POST /api/redrive': ({ body }) =>
                redriveFailures(
                  { reader: letters, registry, queue, hear },
                  acceptedBody(idsSchema, body).ids,
                ),
            }),
            'POST /api/verify': shared(() => verify(registry, table, scan)),
          },
        },
        Number(new URL(endpoint).port) + 1,
        await keptToken(stateDir),
      );
      return server?.url;
    },

    async close(): Promise<void> {
      await server?.close();
      opened?.close();
    },
  };
}

function changesIn({ table }: Registry, { Records }: LambdaEvent): readonly Change[] {
  return Records.flatMap((record) => {
    const change = 'body' in record ? undefined : readStreamRecord(table, record, localEvidence);
    return change === undefined || 'unreadable' in change ? [] : change;
  });
}

function messagesIn({ Records }: LambdaEvent): readonly Message[] {
  return Records.flatMap((record) => ('body' in record ? (readMessage(record.body) ?? []) : []));
}

export function matchRules(registry: Registry, change: Change): readonly RuleMatch[] {
  return rulesOfChange(registry, change).flatMap(({ rule, as, asks: asked, why, of, fault }) => {
    const asks = asked === 'nothing' && fault !== undefined ? 'fault' : asked;
    const keys = as === 'copy' || as === 'member' ? of : [change.key];
    const roots = asked === 'nothing' ? [undefined] : keys;
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
