import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Registry } from '../../src/model/rules/registry.ts';
import type { ModelWorker } from '../../src/testing/table-model/model-worker.ts';
import { item } from '../fixtures/model/items.ts';
import { recipesIn, workerOn, write } from './fixtures/recipes-page.ts';
import { folderToCompile } from './fixtures/type-check.ts';

let folder: string;
let registry: Registry;

beforeAll(async () => {
  folder = folderToCompile('recipe-of-bookings-');
  registry = await recipesIn(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const listing = (Price: number) => item({ PK: 'LISTING#1', SK: 'LISTING', Price });
const theListing = { pk: 'LISTING#1', sk: 'LISTING' };
const booked = { pk: 'LISTING#1', sk: 'BOOKING#1' };
function price(worker: ModelWorker, key = booked): number {
  const value = worker.table.read(key)?.['Price'];
  return Number(value && 'N' in value && value.N);
}

describe('the recipe of bookings that follow while they are pending', () => {
  /**
   * A price of 1 that becomes 2, then 3, and a confirmation just before the worker's request of this number.
   * @returns the prices at the confirmation, and of the booking in the end, and when it is pending again; undefined if the
   * worker makes fewer requests
   */
  async function around(request: number, confirm: (worker: ModelWorker) => void) {
    const pending = item({ PK: 'LISTING#1', SK: 'BOOKING#1', Status: 'PENDING', Price: 1 });
    const worker = await workerOn(registry, listing(1), pending);
    let requests = 0;
    let confirmed: { readonly booking: number; readonly listing: number } | undefined;
    worker.port.before = () => {
      requests += 1;
      if (requests !== request) return;
      confirm(worker);
      confirmed = { booking: price(worker), listing: price(worker, theListing) };
    };
    await write(worker, listing(2));
    await write(worker, listing(3));
    worker.port.before = () => {};
    const end = price(worker);
    worker.table.update(booked, { set: { Status: { S: 'PENDING' } } });
    await worker.rest();
    return confirmed && { confirmed, end, pendingAgain: price(worker) };
  }

  async function aroundEach(confirm: (worker: ModelWorker) => void) {
    const all = [];
    for (let request = 1; ; request += 1) {
      const one = await around(request, confirm);
      if (one === undefined) return all;
      all.push(one);
    }
  }

  test('writes no price after the confirmation, whenever that comes', async () => {
    const all = await aroundEach((worker) =>
      worker.table.update(booked, { set: { Status: { S: 'CONFIRMED' } } }),
    );

    for (const { confirmed, end, pendingAgain } of all)
      expect([end, pendingAgain]).toEqual([confirmed.booking, 3]);
    const lost = all.filter(({ confirmed }) => confirmed.booking < confirmed.listing);
    expect(lost.length).toBeGreaterThan(2);
    expect(lost.length).toBeLessThan(all.length);
  });

  test('keeps the price of that moment if the confirmation sets it', async () => {
    const all = await aroundEach((worker) => {
      const Price = { N: String(price(worker, theListing)) };
      worker.table.update(booked, { set: { Status: { S: 'CONFIRMED' }, Price } });
    });

    expect(all.length).toBeGreaterThan(3);
    for (const { confirmed, end } of all) expect(end).toBe(confirmed.listing);
  });
});
