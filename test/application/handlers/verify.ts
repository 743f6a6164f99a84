import { verifyHandler } from 'stream-denormalizer/lambda';
import config from '../denorm.config.ts';

/** Compares a random share of the copies with their roots. Writes nothing. */
export const handler = verifyHandler(config);
