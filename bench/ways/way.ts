import type { Work } from '../works.ts';

/** Prepares a way to do a work, as a cold start would. The result does the work once. */
export type Way = (work: Work, endpoint: string) => Promise<() => Promise<unknown>>;

export const tableName = 'copies';

export const connection = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
};
