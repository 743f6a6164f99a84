/**
 * A stub DynamoDB with the entries and heads of a ledger, whose partitions take 1,000 write units a second each. It answers after
 * 5 ms; a transaction on a head that another one is adding to conflicts with it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  type BatchGetItemCommandInput,
  DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb';
import { Partition } from '../pace/partition.ts';

type SdkItem = Record<string, AttributeValue>;
type Transaction = NonNullable<TransactWriteItemsCommandInput['TransactItems']>;

/** In milliseconds. */
const answerAfter = 5;

export class StubLedger extends DynamoDBClient {
  readonly counts = { transactions: 0, conflicts: 0, throttled: 0, entries: 0 };
  private readonly memberOf: (key: SdkItem) => SdkItem | undefined;
  private readonly entries = new Map<string, SdkItem>();
  private readonly partitions = new Map<string, Partition>();
  private readonly locked = new Set<string>();

  /** @param memberOf the member with this key; undefined for any other key */
  constructor(memberOf: (key: SdkItem) => SdkItem | undefined) {
    super({ region: 'eu-west-1' });
    this.memberOf = memberOf;
  }

  override send = async (command: { readonly input: object }): Promise<never> => {
    const { input } = command;
    if ('TransactItems' in input) return (await this.transact(input.TransactItems as Transaction)) as never;
    await sleep(answerAfter);
    if ('Key' in input) return { Item: this.read(input.Key as SdkItem) } as never;
    const { RequestItems = {} } = input as BatchGetItemCommandInput;
    const keys = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
    return {
      Responses: { app: keys.map((key) => this.read(key)).filter((item) => item !== undefined) },
    } as never;
  };

  private read(key: SdkItem): SdkItem | undefined {
    return this.memberOf(key) ?? this.entries.get(textOf(key));
  }

  private async transact([head, ...puts]: Transaction): Promise<object> {
    const key = textOf(head?.Update?.Key ?? {});
    const pk = String(head?.Update?.Key?.['PK']?.S);
    this.counts.transactions += 1;
    const partition = this.partitions.get(pk) ?? new Partition();
    this.partitions.set(pk, partition);
    const code = this.locked.has(key)
      ? 'TransactionConflict'
      : partition.take(2 * (1 + puts.length))
        ? undefined
        : 'ThrottlingError';
    if (code === undefined) this.locked.add(key);
    else this.counts[code === 'TransactionConflict' ? 'conflicts' : 'throttled'] += 1;
    await sleep(answerAfter);
    if (code !== undefined)
      throw new TransactionCanceledException({
        message: code,
        $metadata: {},
        CancellationReasons: [{ Code: code }, ...puts.map(() => ({ Code: 'None' }))],
      });
    this.locked.delete(key);
    for (const { Put } of puts) if (Put?.Item) this.entries.set(textOf(Put.Item), Put.Item);
    this.counts.entries = this.entries.size;
    return {};
  }
}

function textOf({ PK, SK }: SdkItem): string {
  return `${PK?.S} ${SK?.S}`;
}
