import type { DeadLettersView, FailedBatchesView } from '../../develop/page/protocol/trouble.ts';
import type { PageSource } from '../../develop/page/server/page-source.ts';
import { stackFailedBatches } from '../../operate/adapters/s3/failed-batches.ts';
import { sqsDeadLetterReader } from '../../operate/adapters/sqs/dead-letters.ts';
import type { StackOutputs } from '../../operate/adapters/stack-outputs.ts';
import type { BatchesOfFunction } from '../../operate/dead-letters/failed-batch.ts';
import { s3ArchiveReader } from '../../worker/adapters/s3/s3-archive-reader.ts';
import { asDeployed } from '../explain/command.ts';
import type { RulesInForce } from '../options/rules-in-force.ts';
import type { Where } from '../options/where.ts';
import { itemView } from './item-view.ts';
import { projectView } from './project-view.ts';
import { stackMetrics } from './stack-metrics.ts';
import { deadLettersView } from './trouble.ts';

/** Dead letters and failed batches that are listed: a page is no place for more. */
const most = 1_000;

/** How long dead letters stay hidden from other readers if the command is killed while it reads them, in seconds. */
const hiddenSeconds = 30;

export interface StackPageOptions extends Pick<RulesInForce, 'registry' | 'environment'> {
  readonly where: Pick<Where, 'connection' | 'table' | 'tableName' | 'bucket'>;
  readonly stack: StackOutputs;
  /** The stack and where it is, in words: `of stack prod in eu-west-1`. */
  readonly name: string;
}

/**
 * What a deployed stack tells without being changed: its metrics, its dead letters, and each item by its key. It tells of no
 * single change and counts nothing by rule, so both are absent.
 */
export function stackPage(options: StackPageOptions): PageSource {
  const { registry, environment, where, stack, name } = options;
  const { s3, sqs, cloudWatch } = where.connection;
  const settings = asDeployed(environment);
  const { bucket } = where;
  const archive = bucket === undefined ? undefined : s3ArchiveReader({ client: s3, bucket });
  const item = { registry, table: where.table, settings, archive };
  const namespace = environment['POWERTOOLS_METRICS_NAMESPACE'];
  const sources = stackFailedBatches(s3, stack);
  return {
    project: projectView({
      ...{ registry, table: where.tableName, where: name },
      abilities: namespace === undefined ? [] : ['metrics'],
    }),
    item: (key) => itemView(item, key),
    deadLetters: oneAtATime(async (): Promise<DeadLettersView> => {
      const reader = sqsDeadLetterReader({ client: sqs, queueUrl: stack.DeadLetterQueueUrl, hiddenSeconds });
      try {
        return await deadLettersView(reader, registry, most);
      } finally {
        await reader.close();
      }
    }),
    failedBatches: oneAtATime(() => failedBatchesView(sources)),
    ...(namespace !== undefined && { metrics: stackMetrics(cloudWatch, namespace, stack) }),
  };
}

async function failedBatchesView(sources: readonly BatchesOfFunction[]): Promise<FailedBatchesView> {
  const name = sources.map(({ batches }) => batches.name).join(' and ');
  const keys: string[] = [];
  for (const { batches } of sources)
    for await (const key of batches.keys()) {
      if (keys.length >= most) return { name, keys, more: true };
      keys.push(key);
    }
  return { name, keys, more: false };
}

/** Gives everybody who asks meanwhile the same answer: a reader of the queue hides messages from any other. */
function oneAtATime<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let pending: Promise<Answer> | undefined;
  return () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
