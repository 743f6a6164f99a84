import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectFolder } from '../../scripts/python-tools.ts';
import { runTool } from '../../scripts/sam.ts';

test('the types are those of the libraries', async () => {
  const tsc = join(projectFolder, 'node_modules/typescript/bin/tsc');
  const { output } = await runTool(process.execPath, [tsc, '--noEmit', '--project', 'test/libraries']);

  expect(output).toBe('');
});
