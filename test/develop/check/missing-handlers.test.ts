import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingHandlers } from '../../../src/develop/check/missing-handlers.ts';
import { stack } from '../../fixtures/application/stack.ts';
import { newFolder } from '../../suites/new-folder.ts';

test('functions whose files are missing are named, with their makers', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'handlers'));
  for (const name of ['propagate', 'archive', 'sweep', 'verify'])
    writeFileSync(join(folder, `handlers/${name}.ts`), '');

  expect(missingHandlers(folder, stack)).toEqual([
    { id: 'FanOut', file: 'handlers/fan-out.ts', maker: 'fanOutHandler' },
  ]);
});
