import type { Config } from 'stream-denormalizer';
import application from '../../../denorm.config.ts';

const queue = 'https://sqs.eu-north-1.amazonaws.com/1';

/** The application, with a stage that names everything but a stack, and one whose stack names queues and bucket. */
export default {
  ...application,
  stages: {
    parts: {
      ...{ table: 'orders', endpoint: 'http://127.0.0.1:8123', region: 'eu-north-1', profile: 'staged' },
      ...{ queueUrl: `${queue}/fan-out`, deadLetterQueueUrl: `${queue}/dead-letters`, bucket: 'archive' },
      ...{ parameters: { StatusShards: 4 }, disabled: ['order-date-on-items'] },
    },
    deployed: {
      stack: 'prod',
      bucket: 'another',
      queueUrl: `${queue}/another`,
      deadLetterQueueUrl: `${queue}/another`,
    },
    plain: {},
  },
} satisfies Config;
