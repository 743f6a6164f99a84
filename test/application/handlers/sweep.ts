import { sweepHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Archives items that have been finished for long enough, and sets their TTL. */
export const handler = sweepHandler(config);
