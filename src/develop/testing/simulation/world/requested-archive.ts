import { FatalError, TransientError } from '../../../../model/errors.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../../../worker/archive/ports.ts';
import type { ModelArchive } from '../../table-model/model-archive.ts';
import type { Fault, Invocation } from './invocation.ts';

/** The archive as one invocation sees it. */
export class RequestedArchive implements ArchivePort {
  private readonly archive: ModelArchive;
  private readonly invocation: Invocation;

  constructor(archive: ModelArchive, invocation: Invocation) {
    this.archive = archive;
    this.invocation = invocation;
  }

  head(objectKey: string): Promise<ArchiveHead | undefined> {
    return this.invocation.request(`head ${objectKey}`, (fault) => {
      this.refuse(fault);
      const { etag, digest, sequence = 0n, previousStates } = this.archive.current(objectKey) ?? {};
      return etag === undefined ? undefined : { etag, digest, sequence, previousStates };
    });
  }

  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean> {
    return this.invocation.request(`put ${objectKey}`, (fault) => {
      if (fault === 'denied' || fault === 'throttled') this.refuse(fault);
      const stored = this.archive.store(objectKey, object, replaces);
      this.invocation.touched.add(objectKey);
      this.refuse(fault);
      return stored;
    });
  }

  /** A version at a time, as S3 erases them: what is cut off in between has erased some. */
  async erase(objectKey: string, upTo: bigint): Promise<void> {
    const listed = await this.invocation.request(`list ${objectKey}`, (fault) => {
      this.refuse(fault);
      return this.archive.erasable(objectKey, upTo);
    });
    for (const { key, etag } of listed)
      await this.invocation.request(`erase ${key}`, (fault) => {
        if (fault === 'denied' || fault === 'throttled') this.refuse(fault);
        this.archive.eraseVersion(key, etag);
        this.invocation.touched.add(objectKey);
        this.refuse(fault);
      });
  }

  private refuse(fault: Fault | undefined): void {
    if (fault === undefined) return;
    this.invocation.owes = true;
    if (fault === 'denied') {
      this.invocation.denied = true;
      throw new FatalError('archive.denied', 'The simulated archive denies access');
    }
    throw new TransientError('archive.unavailable', 'The simulated archive is not available');
  }
}
