import { BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { loopbackClientSettings } from '../../src/develop/dev/loopback.ts';
import { Random } from '../../src/develop/testing/simulation/random.ts';

interface Like {
  readonly post: string;
  readonly weight: number;
}

export interface Totals {
  readonly Likes: number;
  readonly Weight: number;
}

const posts = ['a', 'b'];
/** Keys in a request. Source: AWS, "BatchWriteItem". */
const batchSize = 25;

/** Writers that put, rewrite, move and remove likes. Each owns some, and repeats a request until it is acknowledged. */
export class LikesWriters {
  /** Of the process that runs now. */
  endpoint = '';
  private readonly members: number;
  private readonly likes = new Map<number, Like>();

  constructor(members: number) {
    this.members = members;
  }

  async putPosts(): Promise<void> {
    await this.write(posts.map((post) => put({ PK: `POST#${post}`, SK: 'POST', Type: 'Post' })));
  }

  /** All members come, all of one post; then of each ten one is rewritten, one moves, one goes, and one comes again. */
  async run(writers: number): Promise<void> {
    const random = new Random(1);
    const rounds: readonly ((id: number) => Like | undefined)[] = [
      () => ({ post: 'a', weight: random.int(0, 9) }),
      (id) => (id % 10 === 1 ? { post: 'a', weight: 10.5 } : this.likes.get(id)),
      (id) => (id % 10 === 2 ? { post: 'b', weight: 3 } : this.likes.get(id)),
      (id) => (id % 10 === 3 || id % 10 === 4 ? undefined : this.likes.get(id)),
      (id) => (id % 10 === 4 ? { post: 'b', weight: 0.1 } : this.likes.get(id)),
    ];
    const ids = Array.from({ length: this.members }, (_, id) => id);
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const own = ids.filter((id) => id % writers === writer);
        for (const next of rounds) await this.writeDifferences(own, next);
      }),
    );
  }

  expected(post: string): Totals {
    const likes = [...this.likes.values()].filter((like) => like.post === post);
    const tenths = likes.reduce((sum, { weight }) => sum + Math.round(weight * 10), 0);
    return { Likes: likes.length, Weight: tenths / 10 };
  }

  async found(post: string): Promise<Totals> {
    const item = await this.withClient((client) => {
      const Key = { PK: `POST#${post}`, SK: 'POST' };
      return DynamoDBDocumentClient.from(client).send(new GetCommand({ TableName: 'app', Key }));
    });
    const { Likes, Weight } = item.Item ?? {};
    return { Likes, Weight };
  }

  private async writeDifferences(
    ids: readonly number[],
    next: (id: number) => Like | undefined,
  ): Promise<void> {
    const changed = ids.flatMap((id) => {
      const like = next(id);
      return like === this.likes.get(id) ? [] : [{ id, like }];
    });
    for (let from = 0; from < changed.length; from += batchSize) {
      const some = changed.slice(from, from + batchSize);
      await this.write(
        some.map(({ id, like }) => {
          const key = { PK: `LIKE#${id}`, SK: 'LIKE' };
          return like === undefined
            ? { DeleteRequest: { Key: marshall(key) } }
            : put({ ...key, Type: 'Like', Post: like.post, Weight: like.weight });
        }),
      );
      for (const { id, like } of some)
        if (like === undefined) this.likes.delete(id);
        else this.likes.set(id, like);
    }
  }

  private async write(requests: readonly object[]): Promise<void> {
    for (let left: readonly object[] = requests; left.length > 0; )
      left = await this.withClient((client) =>
        client.send(new BatchWriteItemCommand({ RequestItems: { app: [...left] } })),
      ).then(
        ({ UnprocessedItems }) => UnprocessedItems?.['app'] ?? [],
        async () => {
          // The process is killed, and another one is started.
          await new Promise((resolve) => setTimeout(resolve, 100));
          return left;
        },
      );
  }

  private async withClient<T>(work: (client: DynamoDBClient) => Promise<T>): Promise<T> {
    const client = new DynamoDBClient({ ...loopbackClientSettings(this.endpoint), maxAttempts: 1 });
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }
}

function put(item: Record<string, unknown>) {
  return { PutRequest: { Item: marshall(item) } };
}
