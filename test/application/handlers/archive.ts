import { archiveHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Archives the items on the table's stream that are going to expire. */
export const handler = archiveHandler(config);
