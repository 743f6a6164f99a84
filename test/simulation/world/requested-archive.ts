import { Unavailable, Unworkable } from '../../../src/domain/errors.ts';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../../src/execution/ports.ts';
import type { ModelArchive } from '../../model/model-archive.ts';
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
      return this.archive.current(objectKey);
    });
  }

  put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean> {
    return this.invocation.request(`put ${objectKey}`, (fault) => {
      if (fault === 'denied' || fault === 'throttled') this.refuse(fault);
      const stored = this.archive.store(objectKey, object, replaces);
      this.refuse(fault);
      return stored;
    });
  }

  private refuse(fault: Fault | undefined): void {
    if (fault === undefined) return;
    this.invocation.owes = true;
    if (fault === 'denied') {
      this.invocation.denied = true;
      throw new Unworkable('archive.denied', 'The simulated archive denies access');
    }
    throw new Unavailable('archive.unavailable', 'The simulated archive is not available');
  }
}
