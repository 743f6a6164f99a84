import { describe, expect, test } from 'vitest';
import { progressLine } from '../../../src/cli/output/progress-line.ts';

const facts = { label: 'verify', unit: 'items', done: 910_000, total: 1_234_567, elapsedMs: 4_000 };
const long = '1,234,567 found, 12 waiting for the fan-out queue, 345 to check again';

describe('a line about work in progress', () => {
  test('has a bar as wide as the terminal leaves room for', () => {
    const line = progressLine({ ...facts, extra: '12 found' }, 104);

    expect(line).toBe(
      'verify  ==================------  73 %  910,000 of about 1,234,567 items  227,500/s  1 s left  12 found',
    );
  });

  test.each([
    [80, '12 found', 'verify  73 %  910,000 of about 1,234,567 items  227,500/s  1 s left  12 found'],
    [70, '12 found', 'verify  73 %  910,000 of about 1,234,567 items  1 s left  12 found'],
    [60, '12 found', 'verify  73 %  910,000 items  1 s left  12 found'],
    [80, long, `verify  73 %  ${long.slice(0, 65)}…`],
  ])('on %i columns leaves out what matters least', (columns, extra, line) => {
    expect(progressLine({ ...facts, extra }, columns)).toBe(line);
  });

  test('without a total has the time that it took', () => {
    expect(progressLine({ ...facts, total: undefined, extra: '' }, 80)).toBe(
      'verify  910,000 items  227,500/s  4 s',
    );
  });
});
