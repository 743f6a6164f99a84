import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handlerFindings } from '../../../src/cli/check/template-findings.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('functions whose files are missing are named, with their makers', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'handlers'));
  for (const name of ['propagate', 'archive', 'sweep', 'verify', 'heartbeat'])
    writeFileSync(join(folder, `handlers/${name}.ts`), '');

  const [finding, ...others] = handlerFindings({ folder }, stack);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ about: 'handlers', subject: 'FanOut' });
  expect(finding?.message).toMatch(/handlers\/fan-out\.ts.*import \{ fanOutHandler \}/);
});
