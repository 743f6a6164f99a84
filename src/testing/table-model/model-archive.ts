import { createHash } from 'node:crypto';
import { DenormError } from '../../model/basics/errors.ts';
import { isUpTo } from '../../model/items/change.ts';
import type {
  ArchiveHead,
  ArchiveNotes,
  ArchiveObject,
  ArchivePort,
  ArchiveReader,
  Retrieval,
} from '../../worker/archive/ports.ts';

interface ArchivedVersion extends ArchiveObject {
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
        .filter(({ sequence = 0n }) => isUpTo(sequence, upTo))
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

/** Reads a bucket in memory as S3 lets it be read: an object in Glacier needs a retrieval, which is granted at once. */
export function modelArchiveReader(archive: ModelArchive, pageLimit = 1_000): ArchiveReader {
  const lent = new Set<string>();

  function find(objectKey: string, versionId: string | undefined): ArchivedVersion | undefined {
    if (versionId === undefined) return archive.current(objectKey);
    return archive.versions(objectKey).find(({ etag }) => etag === versionId);
  }

  function retrievalOf(objectKey: string, { etag, storageClass = 'STANDARD' }: ArchivedVersion): Retrieval {
    if (!['GLACIER', 'DEEP_ARCHIVE'].includes(storageClass)) return 'none';
    return lent.has(`${objectKey} ${etag}`) ? 'readable' : 'needed';
  }

  return {
    async list(prefix, from = '') {
      const keys = archive.keysBelow(prefix).filter((key) => key > from);
      const page = keys.slice(0, pageLimit);
      const versions = page.flatMap((objectKey) =>
        [...archive.versions(objectKey)].reverse().map((version, index) => ({
          objectKey,
          versionId: version.etag,
          latest: index === 0,
          bytes: version.bytes.length,
          archivedAt: version.at,
          storageClass: version.storageClass ?? 'STANDARD',
        })),
      );
      return { versions, next: keys.length > pageLimit ? page.at(-1) : undefined };
    },
    async details(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version === undefined) return undefined;
      const { etag, digest, sequence = 0n, of, storageClass = 'STANDARD' } = version;
      return { etag, digest, sequence, of, storageClass, retrieval: retrievalOf(objectKey, version) };
    },
    async read(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version === undefined) throw new DenormError('archive.missing', `Expected ${objectKey} to stand`);
      if (retrievalOf(objectKey, version) === 'needed')
        throw new DenormError('archive.not-retrieved', `${objectKey} is in Glacier: ask for its retrieval`);
      return version.bytes;
    },
    async retrieve(objectKey, versionId) {
      const version = find(objectKey, versionId);
      if (version !== undefined) lent.add(`${objectKey} ${version.etag}`);
    },
  };
}

export class ModelNotes implements ArchiveNotes {
  readonly texts = new Map<string, string>();
  /** Called before each request takes effect; it may throw what the port would. */
  before: (request: 'read' | 'write', noteKey: string) => void = () => {};

  async read(noteKey: string): Promise<string | undefined> {
    this.before('read', noteKey);
    return this.texts.get(noteKey);
  }

  async write(noteKey: string, text: string): Promise<void> {
    this.before('write', noteKey);
    this.texts.set(noteKey, text);
  }
}

export function countedNonces(): () => Uint8Array {
  let count = 0n;
  return () => {
    count += 1n;
    return new Uint8Array(new BigUint64Array([count]).buffer);
  };
}
