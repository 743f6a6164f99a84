import type { Fan } from '../works.ts';

/** Prepares a way to do the work, as a cold start would. The result does the work once. */
export type Way = (work: Fan, endpoint: string) => Promise<() => Promise<unknown>>;

export const tableName = 'copies';

export const connection = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
};
