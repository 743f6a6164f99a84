import type { KeyValue, QueryClient, QueryRequest, QueryResult } from 'stream-denormalizer/read';

export type StoredItem = Record<string, unknown> & { readonly PK: string; readonly SK: KeyValue };

export const table = { pk: 'PK', sk: 'SK' } as const;
export const index = { name: 'GSI1', pk: 'GSI1PK', sk: 'GSI1SK' } as const;

/** More than any test needs. No time-out ends pages that follow each other for ever: they wait for nothing outside. */
const maxRequests = 1_000;

/** A table in memory that answers queries, and refuses those that DynamoDB refuses. */
export class Partitions implements QueryClient {
  readonly requests: QueryRequest[] = [];
  #requests = 0;
  readonly #items = new Map<string, StoredItem>();

  put(...items: readonly StoredItem[]): void {
    for (const item of items) this.#items.set(keyTextOf(item), item);
  }

  delete(item: StoredItem): void {
    this.#items.delete(keyTextOf(item));
  }

  all(): StoredItem[] {
    return [...this.#items.values()];
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    this.requests.push(request);
    this.#requests += 1;
    if (this.#requests > maxRequests) throw new Error(`Expected an end within ${maxRequests} requests`);
    const names = request.IndexName === undefined ? table : index;
    const pk = request.ExpressionAttributeValues[':pk'];
    const fits = restrictionOf(request);
    const sign = request.ScanIndexForward ? 1 : -1;
    const order = (a: Record<string, unknown>, b: Record<string, unknown>) =>
      sign * (compare(a[names.sk], b[names.sk]) || tie(a, b));
    const start = request.ExclusiveStartKey;
    if (start !== undefined && (start[names.pk] !== pk || !fits(start[names.sk])))
      throw new Error('ValidationException: The provided starting key is outside query boundaries');
    const ahead = this.all()
      .filter((item) => item[names.pk] === pk && fits(item[names.sk]))
      .sort(order)
      .filter((item) => start === undefined || order(item, start) > 0);
    const Items = ahead.slice(0, request.Limit);
    const last = Items.length < request.Limit ? undefined : Items.at(-1);
    return {
      Items,
      LastEvaluatedKey: last && {
        ...{ PK: last.PK, SK: last.SK },
        ...{ [names.pk]: last[names.pk], [names.sk]: last[names.sk] },
      },
    };
  }
}

/** The order of sort keys in DynamoDB. */
export function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const bytes = (value: unknown) => (value instanceof Uint8Array ? value : Buffer.from(String(value)));
  return Buffer.compare(bytes(a), bytes(b));
}

/** The order of items of an index with the same sort key, which is not that of their keys. */
export function tie(a: Record<string, unknown>, b: Record<string, unknown>): number {
  const backwards = (item: Record<string, unknown>) => [...keyTextOf(item)].reverse().join('');
  return compare(backwards(b), backwards(a));
}

function keyTextOf({ PK, SK }: Record<string, unknown>): string {
  return `${PK} ${SK instanceof Uint8Array ? Buffer.from(SK).toString('hex') : SK}`;
}

function restrictionOf({
  KeyConditionExpression: condition,
  ExpressionAttributeNames: names,
  ExpressionAttributeValues: { ':pk': _, ':begins': begins, ':from': from, ':to': to },
}: QueryRequest): (sk: unknown) => boolean {
  const used = [...condition.matchAll(/#\w+/g)].map(([name]) => name);
  if (used.toSorted().join() !== Object.keys(names).toSorted().join())
    throw new Error('ValidationException: Value provided in ExpressionAttributeNames unused in expressions');
  switch (condition) {
    case '#pk = :pk':
      return () => true;
    case '#pk = :pk AND begins_with(#sk, :begins)':
      return (sk) => String(sk).startsWith(String(begins));
    case '#pk = :pk AND #sk >= :from':
      return (sk) => compare(sk, from) >= 0;
    case '#pk = :pk AND #sk <= :to':
      return (sk) => compare(sk, to) <= 0;
    case '#pk = :pk AND #sk BETWEEN :from AND :to':
      if (compare(from, to) > 0)
        throw new Error('ValidationException: The BETWEEN operator requires an upper bound above the lower');
      return (sk) => compare(sk, from) >= 0 && compare(sk, to) <= 0;
    default:
      throw new Error(`ValidationException: Invalid KeyConditionExpression ${condition}`);
  }
}
