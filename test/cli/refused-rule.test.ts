import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { projectCopy } from '../fixtures/application/project-copy.ts';
import { type Ran, run } from './denorm.ts';

/** The output of `denorm rules` after an edit of a rule’s source. */
function withRule(change: (path: string) => void): Promise<Ran> {
  const project = projectCopy();
  change(join(project, 'rules/order-date-on-items.ts'));
  return run(['rules'], project, { DENORM_CONFIG: '' });
}

describe('an invalid rule is refused in one sentence', () => {
  test('if its definition is invalid', async () => {
    const { code, stderr } = await withRule((path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace("'order-date-on-items'", "'Order Date'")),
    );

    expect(stderr).toMatch(
      /^denorm: field\.invalid: Expected name of rule Order Date to be words in lower case with hyphens, .*, got 'Order Date': correct it\n$/,
    );
    expect(code).toBe(2);
  });

  test('if it is invalid TypeScript, with its file and line', async () => {
    const { code, stderr } = await withRule((path) => appendFileSync(path, 'const x = ;\n'));

    expect(stderr).toMatch(/^denorm: file:.*order-date-on-items\.ts:\d+: .+\n$/);
    expect(code).toBe(2);
  });
});
