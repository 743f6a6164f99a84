import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stack } from '../fixtures/application/stack.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const runbook = read('docs/runbook.md');
const alarms = Object.entries(stack.Resources)
  .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
  .map(([id]) => id);

describe('the runbook', () => {
  it('has a section for each alarm of the template, and for no other', () => {
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].flatMap(([, heading = '']) => heading.split(', '));
    expect(headings.sort()).toEqual(alarms.sort());
  });
});
