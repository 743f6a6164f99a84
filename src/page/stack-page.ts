import type { PlannerOptions } from '../explain/dry-run/planner.ts';
import type { Connection } from '../operate/adapters/connection.ts';
import { sqsDeadLetterReader } from '../operate/adapters/dead-letter-queue.ts';
import { stackFailedBatches } from '../operate/adapters/failure-buckets.ts';
import type { StackOutputs } from '../operate/adapters/stack-outputs.ts';
import { withFailedBatches } from '../operate/dead-letters/dead-letters.ts';
import { keyOfRequest, type PageSource, shared } from './server/page-source.ts';
import { itemView } from './views/item-view.ts';
import { queryView } from './views/items-view.ts';
import { projectView } from './views/project-view.ts';
import { stackMetrics } from './views/stack-metrics.ts';
import { failuresView } from './views/trouble.ts';

/** Dead letters and failed batches that are listed: a page is no place for more. */
const most = 1_000;

/** How long dead letters stay hidden from other readers if the command is killed while it reads them, in seconds. */
const hiddenSeconds = 30;

export interface StackPageOptions extends PlannerOptions {
  readonly connection: Connection;
  readonly tableName: string;
  readonly stack: StackOutputs;
  /** The namespace of the metrics; undefined if the functions name none. */
  readonly namespace: string | undefined;
  /** The stack and where it is, in words: `of stack prod in eu-west-1`. */
  readonly name: string;
}

/**
 * What a deployed stack tells without being changed: its metrics, its dead letters, and each item by its key. It tells of no
 * single change and counts nothing by rule, so both are absent.
 */
export function stackPage(options: StackPageOptions): PageSource {
  const { registry, table, connection, tableName, stack, namespace, name } = options;
  const { s3, sqs } = connection;

  async function readFailures() {
    const letters = sqsDeadLetterReader({ client: sqs, queueUrl: stack.DeadLetterQueueUrl, hiddenSeconds });
    const reader = withFailedBatches(letters, stackFailedBatches(s3, stack));
    try {
      return await failuresView(reader, registry, { most });
    } finally {
      await reader.close();
    }
  }

  const writers = [...registry.rules, ...registry.aggregates].map(({ name: rule }) => rule);

  return {
    project: projectView(registry, { table: tableName, where: name }),
    routes: {
      'GET /api/item': ({ parameters }) => itemView(options, keyOfRequest(registry.table, parameters)),
      'GET /api/items': ({ parameters }) => queryView({ registry, table }, parameters),
      // Shared, because a reader of the queue hides messages from any other.
      'GET /api/failures': shared(readFailures),
      ...(namespace !== undefined && {
        'GET /api/metrics': stackMetrics(connection, namespace, stack, writers),
      }),
    },
  };
}
