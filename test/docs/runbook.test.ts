import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseTemplate } from '../../src/develop/dev/template-values.ts';
import { run } from '../cli/denorm.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const runbook = read('docs/runbook.md');
const { Resources } = parseTemplate(read('template.yaml'));
const alarms = Object.entries(Resources)
  .filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm')
  .map(([id]) => id);

describe('the runbook', () => {
  it('has a section for each alarm of the template, and for no other', () => {
    const headings = [...runbook.matchAll(/^## (.+)$/gm)].flatMap(([, heading = '']) => heading.split(', '));
    expect(headings.sort()).toEqual(alarms.sort());
  });

  it('describes in each section the meaning, where to look, and what to do', () => {
    for (const section of runbook.split(/^## /m).slice(1))
      for (const part of ['**Means:**', '**Look at:**', '**Do:**']) expect(section).toContain(part);
  });
});

it('the query in the runbook leaves out the lines of metrics, which have the level ERROR and no message', () => {
  const [, query = ''] = /^(fields @timestamp.+)$/m.exec(runbook) ?? [];
  expect(query).toContain('filter ispresent(message) and level in');
});

it('the commands in the runbook exist, with their options', async () => {
  const lines = [...runbook.matchAll(/\bnpx denorm ([^`#\n>]+)/g)].map(([, line = '']) =>
    line.trim().split(/ +/),
  );
  const named = Map.groupBy(lines, (words) =>
    words
      .filter((word) => /^[a-z]/.test(word))
      .slice(0, 2)
      .join(' '),
  );
  expect(named.size).toBeGreaterThan(4);
  await Promise.all(
    [...named].map(async ([name, said]) => {
      const { code, stdout } = await run([...name.split(' '), '--help'], '.');
      expect(code, name).toBe(0);
      for (const option of said.flat().filter((word) => word.startsWith('--')))
        expect(stdout, name).toContain(option);
    }),
  );
});
