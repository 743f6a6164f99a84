import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stack } from '../fixtures/application/stack.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const runbook = read('docs/runbook.md');
const alarms = Object.entries(stack.Resources)
  .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
  .map(([id]) => id);

/** By their headings, which name the alarms. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = ''] = section.split('\n');
      return heading === 'Recreate what was deleted' ? [] : [[heading, section]];
    }),
);

describe('the runbook', () => {
  it('has a section for each alarm of the template, and for no other', () => {
    expect([...sections.keys()].flatMap((heading) => heading.split(', ')).sort()).toEqual(alarms.sort());
  });

  it.each([...sections])('says in the section %s what the silence of its alarms can mean', (_, section) => {
    expect(section).toMatch(/^\*\*Means:\*\* [^*]+\n\n\*\*Silent too\*\* (while|if) /m);
  });
});
