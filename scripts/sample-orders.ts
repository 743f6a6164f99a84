import { Random } from '../src/develop/testing/simulation/random.ts';
import type { AttributeValue } from '../src/model/attribute-value.ts';
import type { Item } from '../src/model/item.ts';
import { itemSize } from '../src/model/item-size.ts';

const words =
  'and anchor brass canvas copper deck for from gift green harbour heavy iron lamp leather light linen long oak of please rope round sail ship short silver small steel the to wool with yellow'.split(
    ' ',
  );

/** Orders of exactly so many bytes as DynamoDB counts them, no two alike, the same ones for the same number. */
export function sampleOrders(count: number, bytes: number): Item[] {
  const random = new Random(count);
  return Array.from({ length: count }, () => orderOf(bytes, random));
}

function orderOf(bytes: number, random: Random): Item {
  const id = identifier(random);
  const user = identifier(random);
  const createdAt = new Date(Date.UTC(2026, 0, 1) + Math.floor(random.next() * 31_536_000_000)).toISOString();
  const total = String(random.int(100, 99_999) / 100);
  const order = (lines: readonly AttributeValue[], note: string): Item => ({
    PK: { S: `ORDER#${id}` },
    SK: { S: 'METADATA' },
    Type: { S: 'Order' },
    UserId: { S: user },
    Status: { S: 'DELIVERED' },
    Total: { N: total },
    CreatedAt: { S: createdAt },
    GSI1PK: { S: `USER#${user}` },
    GSI1SK: { S: `ORDER#${createdAt}` },
    GSI2PK: { S: 'STATUS#DELIVERED' },
    GSI2SK: { S: `ORDER#${createdAt}` },
    ExpiresAt: { N: String(Math.floor(Date.parse(createdAt) / 1000) + 8_380_800) },
    Lines: { L: lines },
    Note: { S: note },
  });
  const lines = Array.from({ length: 4 }, () => lineOf(random));
  const missing = bytes - itemSize(order(lines, ''));
  return order(lines, sentence(random, 200).slice(0, Math.max(0, missing)));
}

function lineOf(random: Random): AttributeValue {
  return {
    M: {
      ProductId: { S: identifier(random) },
      ProductName: { S: sentence(random, 3) },
      Price: { N: String(random.int(100, 9_999) / 100) },
      Quantity: { N: String(random.int(1, 9)) },
    },
  };
}

function sentence(random: Random, length: number): string {
  return Array.from({ length }, () => random.pick(words)).join(' ');
}

/** 20 characters of a random id, which no compression makes shorter than 13 bytes. */
function identifier(random: Random): string {
  return Array.from({ length: 20 }, () => random.int(0, 35).toString(36)).join('');
}
