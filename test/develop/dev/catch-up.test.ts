import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CatchUp } from '../../../src/develop/dev/catch-up.ts';
import { streamRecord } from './stream-records.ts';

const start = 1_700_000_000;
let notices: string[];
let isQuiet: boolean;

beforeEach(() => {
  vi.useFakeTimers({ now: start * 1000 });
  notices = [];
  isQuiet = false;
});

afterEach(() => {
  vi.useRealTimers();
});

function catchUp(): CatchUp {
  return new CatchUp(
    () => isQuiet,
    (notice) => notices.push(notice),
  );
}

function record(at: number) {
  const { dynamodb, ...rest } = streamRecord(1);
  return { ...rest, dynamodb: { ...dynamodb, ApproximateCreationDateTime: at } };
}

test('says every five seconds how many earlier changes are worked on, and when all are', () => {
  const { finished } = catchUp();
  finished(record(start - 90));
  vi.advanceTimersByTime(5_000);
  finished(record(start - 80));
  vi.advanceTimersByTime(5_000);
  expect(notices.map((notice) => /\d+ so far/.exec(notice)?.[0])).toEqual(['1 so far', '2 so far']);

  isQuiet = true;
  vi.advanceTimersByTime(20_000);
  expect(notices.slice(2)).toEqual(['has worked on all 2 changes from before this start']);
});

test('says that it has worked on all with the first change from after the start', () => {
  const { finished } = catchUp();
  finished(record(start - 90));
  vi.advanceTimersByTime(5_000);
  finished(record(start + 1));
  vi.advanceTimersByTime(20_000);

  expect(notices.slice(1)).toEqual(['has worked on all 1 changes from before this start']);
});

test('says nothing of a short delay, nor of changes from after the start', () => {
  const { finished } = catchUp();
  finished(record(start - 90));
  finished(record(start + 1));
  vi.advanceTimersByTime(20_000);

  expect(notices).toEqual([]);
});
