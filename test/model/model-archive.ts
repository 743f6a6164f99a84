import { createHash } from 'node:crypto';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../src/execution/ports.ts';

/** One version of an object, as the bucket keeps it. */
export interface ArchivedVersion extends ArchiveObject {
  /** As in S3, a hash of the body: the same body twice has the same. */
  readonly etag: string;
}

/** A versioned bucket in memory. */
export class ModelArchive implements ArchivePort {
  private readonly objects = new Map<string, ArchivedVersion[]>();

  async head(objectKey: string): Promise<ArchiveHead | undefined> {
    return this.current(objectKey);
  }

  async put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean> {
    return this.store(objectKey, object, replaces);
  }

  current(objectKey: string): ArchivedVersion | undefined {
    return this.objects.get(objectKey)?.at(-1);
  }

  /** All versions of an object, oldest first. */
  versions(objectKey: string): readonly ArchivedVersion[] {
    return this.objects.get(objectKey) ?? [];
  }

  keys(): string[] {
    return [...this.objects.keys()];
  }

  /** @returns false where `replaces` does not stand there */
  store(objectKey: string, object: ArchiveObject, replaces: string | undefined): boolean {
    if (this.current(objectKey)?.etag !== replaces) return false;
    const etag = createHash('sha256').update(object.body).digest('hex');
    this.objects.set(objectKey, [...this.versions(objectKey), { ...object, etag }]);
    return true;
  }
}
