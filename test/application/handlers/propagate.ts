import { propagateHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Propagates the changes on the table's stream. */
export const handler = propagateHandler(config);
