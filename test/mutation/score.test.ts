import { describe, expect, test } from 'vitest';
import type { MutantResult, MutantStatus } from './mutant.ts';
import { isEnough, scoreLine, scoresOf } from './score.ts';

const thresholds = [
  { folder: 'src/planning', percent: 90 },
  { folder: 'src/execution', percent: 80 },
];

describe('the score of a folder', () => {
  test('counts timeouts as killed, and mutants that no test covers as survived', () => {
    const [planning] = scoresOf(
      thresholds,
      results('src/planning/a.ts', { killed: 8, timeout: 1, 'not covered': 1 }),
    );

    expect(planning).toMatchObject({ ran: 10, percent: 90 });
  });

  test('leaves out mutants that did not run, and says so', () => {
    const scores = scoresOf(
      thresholds,
      results('src/execution/a.ts', { killed: 4, survived: 1, 'not run': 95 }),
    );

    expect(isEnough(scores)).toBe(true);
    expect(scoreLine(scores)).toBe(
      'planning: no mutants, execution 80.0 % of 5 killed (at least 80 %), 95 not run',
    );
  });

  test('is too low just below its threshold, and is not rounded up', () => {
    const scores = scoresOf(thresholds, results('src/planning/a.ts', { killed: 8999, survived: 1001 }));

    expect(isEnough(scores)).toBe(false);
    expect(scoreLine(scores)).toContain('planning 89.9 % of 10000 killed (at least 90 %)');
  });

  test('is enough without mutants', () => {
    const scores = scoresOf(thresholds, []);

    expect(isEnough(scores)).toBe(true);
    expect(scoreLine(scores)).toBe('planning: no mutants, execution: no mutants');
  });
});

function results(file: string, counts: Partial<Record<MutantStatus, number>>): MutantResult[] {
  const statuses: readonly MutantStatus[] = ['killed', 'timeout', 'survived', 'not covered', 'not run'];
  const mutant = { id: '1', file, within: 'f', operator: 'Any', line: 1, original: 'a', replacement: 'b' };
  return statuses.flatMap((status) =>
    Array.from({ length: counts[status] ?? 0 }, () => ({ mutant, status })),
  );
}
