import { describe, expect, test } from 'vitest';
import { advisoriesIn } from '../../scripts/advisories.ts';

const via = (severity: string, id: string) => ({
  ...{ source: 1, name: 'braces', dependency: 'braces', title: 'Uncontrolled consumption', range: '<3.0.3' },
  ...{ severity, url: `https://github.com/advisories/${id}` },
});
const report = (vulnerabilities: object) => JSON.stringify({ auditReportVersion: 2, vulnerabilities });

describe('advisoriesIn', () => {
  test('finds each advisory of severity high or critical once', () => {
    const output = report({
      braces: { name: 'braces', via: [via('high', 'GHSA-1'), via('moderate', 'GHSA-2')] },
      micromatch: { name: 'micromatch', via: ['braces', via('high', 'GHSA-1'), via('critical', 'GHSA-3')] },
    });

    expect(advisoriesIn(output)?.map(({ id }) => id)).toEqual(['GHSA-1', 'GHSA-3']);
  });

  test('finds none in an empty report', () => {
    expect(advisoriesIn(report({}))).toEqual([]);
  });

  test.each([
    ['a refusal', JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405, error: {} })],
    ['nothing', ''],
    ['another format', JSON.stringify({ auditReportVersion: 3, vulnerabilities: {} })],
  ])('is undefined for %s, which is no answer', (_, output) => {
    expect(advisoriesIn(output)).toBeUndefined();
  });
});
