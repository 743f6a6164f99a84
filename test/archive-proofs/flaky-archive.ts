import type { Random } from '../../src/develop/testing/simulation/random.ts';
import type { ModelArchive } from '../../src/develop/testing/table-model/model-archive.ts';
import { TransientError } from '../../src/model/errors.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../src/worker/archive/ports.ts';
import type { S3Figures } from './figures.ts';

/** How often a request is tried before its batch has to come again: less often than really, so that many come. */
const tries = 3;

/** How many requests fail in a row, the SDK's own retries among them, where S3 is away for a while. */
const maxOutage = 4_000;

/**
 * A bucket in memory whose requests fail: refused before they take effect, or cut off after it. Each is tried again, as
 * the SDK would.
 */
export class FlakyArchive implements ArchivePort {
  /** How many of 1 requests fail. */
  failing: number;
  private readonly archive: ModelArchive;
  private readonly random: Random;
  private readonly figures: S3Figures;
  private outage = 0;

  constructor(archive: ModelArchive, random: Random, figures: S3Figures, failing: number) {
    this.archive = archive;
    this.random = random;
    this.figures = figures;
    this.failing = failing;
  }

  head(objectKey: string): Promise<ArchiveHead | undefined> {
    return this.request('head', () => this.archive.head(objectKey));
  }

  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean> {
    const what = isOfBatch(objectKey) ? 'put of a batch' : 'put';
    return this.request(what, () => this.archive.put(objectKey, object, replaces));
  }

  async erase(objectKey: string, upTo: bigint): Promise<void> {
    const listed = await this.request('list', async () => this.archive.erasable(objectKey, upTo));
    for (const { key, etag } of listed)
      await this.request('delete', async () => this.archive.eraseVersion(key, etag));
  }

  private async request<Answer>(what: string, effect: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      this.figures.asked(what);
      const fault = this.fault();
      if (fault === undefined) return effect();
      this.figures.failed(fault);
      if (fault === 'reset after its effect') await effect();
      // A request takes its time: others go on meanwhile.
      await Promise.resolve();
    }
    throw new TransientError('archive.unavailable', 'The bucket did not answer');
  }

  private fault(): string | undefined {
    if (this.failing === 0) return undefined;
    if (this.outage > 0) {
      this.outage -= 1;
      return 'away';
    }
    if (this.random.chance(this.failing / 20_000)) this.outage = this.random.int(1, maxOutage);
    if (!this.random.chance(this.failing)) return undefined;
    return this.random.pick(['throttled', 'failed', 'reset after its effect']);
  }
}

function isOfBatch(objectKey: string): boolean {
  return objectKey.startsWith('manifests/') || objectKey.endsWith('.ndjson.gz');
}
