import { fanOutHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Runs the propagations in the queue: the rest of large fan-outs, retries and rechecks. */
export const handler = fanOutHandler(config);
