import config from '../../../denorm.config.ts';
import { environmentName } from '../../../src/model/rules/parameters.ts';
import type { functions } from './functions.ts';
import { captured, count, distinct, field, inMetrics, outcome, queues, type Run } from './run.ts';

/**
 * A variable of a function, a value other than its default, and what shows the difference: by default, and with this value. The value
 * of a queue's URL is the name of the queue.
 */
export type Row = readonly [
  variable: string,
  value: string,
  effect: (run: Run) => unknown,
  byDefault: unknown,
  byValue: unknown,
];

const storageClasses = ({ requests }: Run) => distinct(requests.map(({ storageClass }) => storageClass));
/** Whether a page after the first may have many items: a small budget takes small pages. */
const takesLargePages = (run: Run) => field('Scan', 'Limit')(run).some((limit) => Number(limit) > 100);

const ofEach: readonly Row[] = [
  ['TABLE_NAME', 'other', captured(/"(?:TableName|table)":"(.*?)"/g), ['app-table'], ['other']],
  ['POWERTOOLS_LOG_LEVEL', 'ERROR', ({ lines }) => lines.some(({ level }) => level === 'INFO'), true, false],
  ['POWERTOOLS_METRICS_NAMESPACE', 'other', inMetrics(/"Namespace":"(.*?)"/g), ['denorm'], ['other']],
  ['POWERTOOLS_SERVICE_NAME', 'other', inMetrics(/"service":"(.*?)"/g), ['denorm'], ['other']],
  ...Object.keys(config.parameters).map(
    (name): Row => [environmentName(name), '0', (run) => outcome(run) === 'config.parameter', false, true],
  ),
];

const ofPropagation: readonly Row[] = [
  ['FAN_OUT_QUEUE_URL', 'other', queues('messages'), ['fan-out'], ['other']],
  ['DEAD_LETTER_QUEUE_URL', 'other', queues('dead letters'), ['dead-letters'], ['other']],
  ['DISABLED_RULES', 'username-on-memberships', field('Query', 'IndexName'), ['GSI1'], []],
  ['PAGE_LIMIT', '20', field('Query', 'Limit'), [500], [20]],
  ['RECHECK_DELAY_SECONDS', '7', captured(/"DelaySeconds":(\d+)/g), ['60'], ['7']],
  ['FAN_OUT_WRITE_UNITS', '200', inMetrics(/"FanOutPace":(\d+)/g), ['800'], ['200']],
];

const ofBucket: Row = [
  'ARCHIVE_BUCKET',
  'other',
  ({ requests }) => distinct(requests.map(({ path }) => path.split('/')[1] || undefined)),
  ['app-archive'],
  ['other'],
];

/** The settings of each function, and the outcome if a service that it needs never answers. */
export const expected: Readonly<
  Record<
    keyof typeof functions,
    {
      readonly rows: readonly Row[];
      readonly silent: Partial<Record<'table' | 'queue' | 'bucket', string>>;
    }
  >
> = {
  Propagate: {
    rows: [...ofEach, ...ofPropagation, ['GLOBAL_TABLE_REPLICA', 'true', count('TransactWriteItems'), 1, 0]],
    silent: { table: 'acknowledged', queue: 'failed' },
  },
  FanOut: {
    rows: [...ofEach, ...ofPropagation],
    silent: { table: 'acknowledged', queue: 'failed' },
  },
  Archive: {
    rows: [
      ...ofEach,
      ofBucket,
      ['DEAD_LETTER_QUEUE_URL', 'other', queues('dead letters'), ['dead-letters'], ['other']],
      ['ARCHIVE_STORAGE_CLASS', 'DEEP_ARCHIVE', storageClasses, ['STANDARD'], ['DEEP_ARCHIVE']],
      ['GLOBAL_TABLE_REPLICA', 'true', count('PUT'), 1, 2],
      ['DISABLED_RULES', 'archive-profiles', count('PUT'), 1, 0],
    ],
    silent: { table: 'failed', queue: 'failed', bucket: 'failed' },
  },
  Sweep: {
    rows: [
      ...ofEach,
      ofBucket,
      // Its position stays in the class that can be read at once.
      ['ARCHIVE_STORAGE_CLASS', 'GLACIER_IR', storageClasses, ['STANDARD'], ['GLACIER_IR', 'STANDARD']],
      ['SWEEP_READ_UNITS', '4000', takesLargePages, false, true],
      ['DISABLED_RULES', 'archive-incidents', count('Scan'), 17, 0],
    ],
    silent: { table: 'aws.timeout', bucket: 'aws.timeout' },
  },
  Verify: {
    rows: [
      ...ofEach,
      ['VERIFY_SAMPLE_PERCENT', '2', field('Scan', 'TotalSegments'), [1000], [500]],
      ['VERIFY_READ_UNITS', '4000', takesLargePages, false, true],
      ['FAN_OUT_QUEUE_URL', 'other', captured(/"QueueUrl":"[^"]*\/(.*?)"/g), ['fan-out'], ['other']],
      // One of them asks what is paused.
      ['DISABLED_RULES', 'username-on-memberships', count('GetItem'), 2, 1],
    ],
    silent: { table: 'aws.timeout' },
  },
  Heartbeat: {
    rows: [
      ...ofEach,
      ['PROPAGATE_ENABLED', 'false', captured(/"(fan-out):\d+"/g), ['fan-out'], []],
      ['ARCHIVE_ENABLED', 'false', captured(/"(archive):\d+"/g), ['archive'], []],
      ['HEARTBEAT_DELAY_SECONDS', '1', inMetrics(/"BeatsLost":(\d+)/g), ['0'], ['1']],
      ['DISABLED_RULES', 'username-on-memberships', inMetrics(/"PauseAge":(\d)/g), ['1'], ['0']],
    ],
    silent: { table: 'aws.timeout' },
  },
};
