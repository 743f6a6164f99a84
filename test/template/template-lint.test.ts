import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasons } from './checkov-reasons.ts';
import { type Findings, findingsIn, projectTemplate } from './template-lint.ts';
import { templates } from './templates.ts';

const text = readFileSync(projectTemplate, 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'denorm-planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(templates)('the template of $name', ({ path }) => {
  let findings: Findings;
  beforeAll(async () => {
    findings = await findingsIn(path);
  });

  it('is valid for SAM CLI', () => {
    expect(findings.samValidate).toEqual([]);
  });

  it('has no finding of cfn-lint when it is expanded', () => {
    expect(findings.cfnLint).toEqual([]);
  });

  it('has no finding of checkov without a written reason', () => {
    expect(findings.checkov).toEqual([]);
  });

  if (path === projectTemplate)
    it('has no written reason without a finding', () => {
      expect(Object.keys(reasons).filter((id) => !findings.checkovIds.has(id))).toEqual([]);
    });
});

/** Faults as people make them, and the check that is to find each. */
const faults = [
  [
    'a wrong starting position',
    'StartingPosition: TRIM_HORIZON',
    'StartingPosition: OLDEST',
    'cfnLint',
    /OLDEST/,
  ],
  ['a runtime that there is not', 'Runtime: nodejs24.x', 'Runtime: nodejs99.x', 'cfnLint', /nodejs99/],
  [
    'all of DynamoDB on everything',
    /Action: \[dynamodb:GetItem, dynamodb:BatchGetItem, dynamodb:Query\]\n\s+Resource: !If\n(\s+- .+\n){3}/,
    "Action: ['dynamodb:*']\n                Resource: '*'\n",
    'checkov',
    /CKV_AWS_(111|109|108|107|110|63).*PropagateRole/,
  ],
  [
    'a reference to nothing',
    '!GetAtt PropagateFailureBucket.Arn',
    '!GetAtt FailedBucket.Arn',
    'cfnLint',
    /FailedBucket/,
  ],
] as const;

describe('a planted fault', () => {
  it.each(faults)('is found: %s', async (name, from, to, check, said) => {
    const planted = text.replace(from, to);
    expect(planted).not.toBe(text);
    const path = join(folder, `${name.replaceAll(' ', '-')}.yaml`);
    writeFileSync(path, planted);
    const findings = await findingsIn(path, check);
    expect(findings[check].join('\n')).toMatch(said);
  });
});
