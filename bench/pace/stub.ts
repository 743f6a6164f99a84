/**
 * A stub DynamoDB whose table is one root with its copies, all in one partition, and a stub of the queue. It answers every
 * request after 5 ms, and throttles each statement for which the partition has nothing left.
 */
import { z } from 'zod';
import { type Item, keyAttributes, keyIn } from '../../src/model/items/item.ts';
import { table } from '../../src/table.ts';
import { taken } from '../stub-server.ts';
import type { Fan } from '../works.ts';
import type { Partition } from './partition.ts';

export interface Sent {
  readonly body: string;
  readonly delaySeconds: number;
}

const query = z.object({
  Limit: z.number(),
  ExclusiveStartKey: z.record(z.string(), z.unknown()).optional(),
});
const value = z.record(z.string(), z.unknown());
const batch = z.object({
  ReturnConsumedCapacity: z.string().optional(),
  Statements: z.array(z.object({ Parameters: z.array(value) })),
});
const messages = z.object({
  Entries: z.array(
    z.object({ Id: z.string(), MessageBody: z.string(), DelaySeconds: z.number().default(0) }),
  ),
});

/** The cost of a write: a unit of the table, and two of an index, whose partitions are others. */
const consumed = {
  TableName: 'copies',
  CapacityUnits: 3,
  Table: { CapacityUnits: 1 },
  GlobalSecondaryIndexes: { GSI1: { CapacityUnits: 2 } },
};

export class StubTable {
  readonly counts = { statements: 0, throttled: 0 };
  private readonly stale: Fan;
  private readonly right: Fan;
  private readonly partition: Partition;
  private readonly onSent: (sent: Sent) => void;
  private readonly positions: ReadonlyMap<string, number>;
  private readonly written = new Set<number>();

  /**
   * @param stale the root with copies that all differ from it.
   * @param right the same, up to date
   */
  constructor(stale: Fan, right: Fan, partition: Partition, onSent: (sent: Sent) => void) {
    this.stale = stale;
    this.right = right;
    this.partition = partition;
    this.onSent = onSent;
    this.positions = new Map(stale.copies.map((copy, index) => [keyIn(table, copy).sk, index]));
  }

  get finished(): number {
    return this.written.size;
  }

  answerTo(operation: string, body: unknown): unknown {
    switch (operation) {
      case 'Query':
        return this.page(query.parse(body));
      case 'GetItem':
        return { Item: this.stale.after };
      case 'BatchExecuteStatement':
        return this.execute(batch.parse(body));
      case 'BatchGetItem':
        return {
          Responses: {
            copies: this.stale.copies
              .filter((copy) => JSON.stringify(body).includes(`"${keyIn(table, copy).sk}"`))
              .map((copy) => this.current(copy)),
          },
        };
      case 'SendMessageBatch': {
        const { Entries } = messages.parse(body);
        for (const { MessageBody, DelaySeconds } of Entries)
          this.onSent({ body: MessageBody, delaySeconds: DelaySeconds });
        return taken(Entries);
      }
      default:
        throw new Error(`Expected a request that a fan-out makes, got ${operation}`);
    }
  }

  private page({ Limit, ExclusiveStartKey }: z.output<typeof query>): unknown {
    const start = ExclusiveStartKey === undefined ? 0 : 1 + this.positionIn(Object.values(ExclusiveStartKey));
    const Items = this.stale.copies.slice(start, start + Limit).map((copy) => this.current(copy));
    const last = Items.at(-1);
    const more = last !== undefined && start + Limit < this.stale.copies.length;
    return { Items, ...(more && { LastEvaluatedKey: keyAttributes(table, keyIn(table, last)) }) };
  }

  private current(copy: Item): Item {
    const index = this.positions.get(keyIn(table, copy).sk) ?? 0;
    return (this.written.has(index) ? this.right.copies[index] : copy) ?? copy;
  }

  private execute({ Statements, ReturnConsumedCapacity }: z.output<typeof batch>): unknown {
    const Responses = Statements.map(({ Parameters }) => {
      this.counts.statements += 1;
      if (!this.partition.take(1)) {
        this.counts.throttled += 1;
        return {
          Error: { Code: 'ThrottlingError', Message: 'Rate of requests exceeds the allowed throughput.' },
        };
      }
      this.written.add(this.positionIn(Parameters));
      return { TableName: 'copies' };
    });
    const made = Responses.filter((response) => response.Error === undefined);
    return {
      Responses,
      ...(ReturnConsumedCapacity === 'INDEXES' && { ConsumedCapacity: made.map(() => consumed) }),
    };
  }

  /** The position of the copy whose sort key is among these values. */
  private positionIn(values: readonly unknown[]): number {
    for (const one of values) {
      const { S } = value.parse(one);
      const position = typeof S === 'string' ? this.positions.get(S) : undefined;
      if (position !== undefined) return position;
    }
    throw new Error('Expected a key of a copy');
  }
}
