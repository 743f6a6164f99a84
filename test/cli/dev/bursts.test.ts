import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { bursts } from '../../../src/cli/dev/bursts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function printing() {
  const lines: string[] = [];
  const { add, end } = bursts((line) => lines.push(line));
  const many = (count: number, sort = 'a-rule') => {
    for (let n = 0; n < count; n += 1) add(sort, () => `${sort} ${n}`);
  };
  return { lines, many, end };
}

test('single changes are lines, however many there are', async () => {
  const { lines, many } = printing();
  for (let second = 0; second < 30; second += 1) {
    many(10);
    await vi.advanceTimersByTimeAsync(1_100);
  }
  expect(lines).toHaveLength(300);
});

test('of a burst, the first lines are printed, and the others summed up each second until it is over', async () => {
  const { lines, many } = printing();
  many(100);
  many(50, 'another');
  await vi.advanceTimersByTimeAsync(1_000);
  many(1_000);
  await vi.advanceTimersByTimeAsync(2_000);
  many(1);

  expect(lines.slice(0, 20).at(-1)).toBe('a-rule 19');
  expect(lines.slice(20)).toEqual([
    '… 130 more within a second: a-rule 80, another 50',
    '… 1,000 more within a second: a-rule 1,000',
    'a-rule 0',
  ]);
});

test('what is not printed at the end is summed up then', () => {
  const { lines, many, end } = printing();
  many(25);
  end();
  expect(lines.at(-1)).toBe('… 5 more within a second: a-rule 5');
  expect(vi.getTimerCount()).toBe(0);
});
