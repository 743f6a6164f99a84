import { createHash } from 'node:crypto';
import type { ArchiveHead, ArchiveObject, ArchivePort } from '../../../worker/archive/ports.ts';

export interface ArchivedVersion extends ArchiveObject {
  /** As text: what is compressed shows in `bytes` only. */
  readonly body: string;
  readonly bytes: Uint8Array;
  /** As in S3, a hash of the body: the same body twice has the same. */
  readonly etag: string;
  /** In epoch milliseconds. */
  readonly at: number;
}

export class ModelArchive implements ArchivePort {
  private readonly objects = new Map<string, ArchivedVersion[]>();
  private readonly now: () => number;
  private puts = 0;

  /** @param now the time, in epoch milliseconds. Default: every put is a second after the one before, the first in 2026 */
  constructor(now?: () => number) {
    this.now = now ?? (() => Date.UTC(2026, 0, 1) + this.puts * 1_000);
  }

  async head(objectKey: string): Promise<ArchiveHead | undefined> {
    const { etag, digest, sequence = 0n } = this.current(objectKey) ?? {};
    return etag === undefined ? undefined : { etag, digest, sequence };
  }

  async put(objectKey: string, object: ArchiveObject, replaces: string | undefined): Promise<boolean> {
    return this.store(objectKey, object, replaces);
  }

  async erase(objectKey: string, upTo: bigint): Promise<void> {
    for (const { key, etag } of this.erasable(objectKey, upTo)) this.eraseVersion(key, etag);
  }

  current(objectKey: string): ArchivedVersion | undefined {
    return this.objects.get(objectKey)?.at(-1);
  }

  /** Oldest first. */
  versions(objectKey: string): readonly ArchivedVersion[] {
    return this.objects.get(objectKey) ?? [];
  }

  keys(): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith('archive/'));
  }

  keysBelow(prefix: string): string[] {
    return [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** The versions of the object and of its last states that no record younger than `upTo` has put. */
  erasable(objectKey: string, upTo: bigint): { readonly key: string; readonly etag: string }[] {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(objectKey));
    // A last state has the key of its object, and a number.
    const own = keys.filter((key) => /^(\.\d+)?$/.test(key.slice(objectKey.length)));
    return own.flatMap((key) =>
      this.versions(key)
        .filter(({ sequence = 0n }) => sequence <= upTo)
        .map(({ etag }) => ({ key, etag })),
    );
  }

  eraseVersion(objectKey: string, etag: string): void {
    const left = this.versions(objectKey).filter((version) => version.etag !== etag);
    if (left.length > 0) this.objects.set(objectKey, left);
    else this.objects.delete(objectKey);
  }

  /** @returns false where `replaces` does not stand there */
  store(objectKey: string, object: ArchiveObject, replaces: string | undefined): boolean {
    if (this.current(objectKey)?.etag !== replaces) return false;
    const etag = createHash('sha256').update(object.body).digest('hex');
    const bytes = Buffer.from(object.body);
    this.puts += 1;
    const version = { ...object, body: bytes.toString(), bytes, etag, at: this.now() };
    this.objects.set(objectKey, [...this.versions(objectKey), version]);
    return true;
  }
}
