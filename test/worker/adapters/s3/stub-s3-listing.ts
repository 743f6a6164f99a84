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
  return xml(
    200,
    `<ListVersionsResult><IsTruncated>${truncated}</IsTruncated>${markers}${entries.join('')}</ListVersionsResult>`,
  );
}

/** Answers ListObjectsV2: ten keys a page, so that there are several pages. */
export function listing(objectKeys: readonly string[], asked: URLSearchParams): ServerAnswer {
  const after = asked.get('continuation-token') ?? '';
  const keys = objectKeys.filter((key) => key.startsWith(asked.get('prefix') ?? '') && key > after).sort();
  const page = keys.slice(0, 10);
  const isTruncated = keys.length > page.length;
  const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
  const more = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(
    200,
    `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${contents}${more}</ListBucketResult>`,
  );
}

export function xml(status: number, body: string): ServerAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
  };
}
