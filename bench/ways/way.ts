/** A way to do some work, prepared as a cold start would. */
export interface Prepared {
  /** How many copies, items or roots a run works through. */
  readonly units: number;
  /** Copies that a run has to write; the stub counts them. */
  readonly writes: number;
  /** What a run needs, and what is not measured. */
  readonly before?: () => void;
  readonly run: () => Promise<unknown>;
}

export type Way = (endpoint: string) => Promise<Prepared>;

export const tableName = 'copies';

export const connection = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
};
