import { describe, expect, test } from 'vitest';
import type { MutantResult, Status } from './mutant.ts';
import { isEnough, scoreLine, scoresOf } from './score.ts';

const thresholds = [
  { folder: 'src/planning', percent: 90 },
  { folder: 'src/execution', percent: 80 },
];

describe('the score of a folder', () => {
  test('counts mutants that hang as killed, and mutants that no test reaches as survived', () => {
    const [planning] = scoresOf(
      thresholds,
      results('src/planning/a.ts', { killed: 8, hung: 1, unreached: 1 }),
    );

    expect(planning).toMatchObject({ tested: 10, percent: 90 });
  });

  test('leaves out untried mutants, and says so', () => {
    const scores = scoresOf(
      thresholds,
      results('src/execution/a.ts', { killed: 4, survived: 1, untried: 95 }),
    );

    expect(isEnough(scores)).toBe(true);
    expect(scoreLine(scores)).toBe(
      'planning: no mutants, execution 80.0 % of 5 killed (at least 80 %), 95 not tried',
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

function results(file: string, counts: Partial<Record<Status, number>>): MutantResult[] {
  const statuses: readonly Status[] = ['killed', 'hung', 'survived', 'unreached', 'untried'];
  const mutant = { id: '1', file, within: 'f', operator: 'Any', line: 1, original: 'a', replacement: 'b' };
  return statuses.flatMap((status) =>
    Array.from({ length: counts[status] ?? 0 }, () => ({ mutant, status })),
  );
}
