import { heartbeatHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Sends a beat the way of a change, and publishes which have not arrived. */
export const handler = heartbeatHandler(config);
