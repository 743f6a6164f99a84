import type { ServerAnswer, ServerRequest } from '../../../suites/loopback-server.ts';

/** A version of an object, or a delete marker, in the stub. */
export interface StubVersion {
  readonly id: string;
  readonly body: Buffer;
  readonly headers: ServerRequest['headers'];
  readonly at: Date;
  readonly deleted: boolean;
  /** Whether Glacier has a readable copy of it. */
  lent: boolean;
}

/** Answers ListObjectVersions: keys in order, the newest version first, a page at a time. */
export function versionsListing(
  objects: ReadonlyMap<string, readonly StubVersion[]>,
  asked: URLSearchParams,
): ServerAnswer {
  const [prefix, keyMarker, idMarker] = ['prefix', 'key-marker', 'version-id-marker'].map((name) =>
    asked.get(name),
  );
  const all = [...objects]
    .filter(([key]) => key.startsWith(prefix ?? ''))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, versions]) =>
      versions.map((version, index) => ({ key, version, latest: index === versions.length - 1 })).reverse(),
    );
  const seen = all.findIndex(({ key, version }) => key === keyMarker && version.id === idMarker);
  const limit = Number(asked.get('max-keys') ?? 1000);
  const page = all.slice(seen + 1, seen + 1 + limit);
  const last = page.at(-1);
  const truncated = seen + 1 + limit < all.length;
  const entries = page.map(({ key, version, latest }) => {
    const said = `<Key>${key}</Key><VersionId>${version.id}</VersionId><IsLatest>${latest}</IsLatest><LastModified>${version.at.toISOString()}</LastModified>`;
    const storageClass = version.headers['x-amz-storage-class'] ?? 'STANDARD';
    return version.deleted
      ? `<DeleteMarker>${said}</DeleteMarker>`
      : `<Version>${said}<Size>${version.body.length}</Size><StorageClass>${storageClass}</StorageClass></Version>`;
  });
  const markers =
    truncated && last !== undefined
      ? `<NextKeyMarker>${last.key}</NextKeyMarker><NextVersionIdMarker>${last.version.id}</NextVersionIdMarker>`
      : '';
  return {
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?><ListVersionsResult><IsTruncated>${truncated}</IsTruncated>${markers}${entries.join('')}</ListVersionsResult>`,
  };
}
