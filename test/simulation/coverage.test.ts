import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('what is listed as not run is what neither thread ran', async () => {
  // Under vitest, a module is not the text of its file.
  const script = `
    const { linesOf, neither, noteCoverage } = await import('./test/simulation/coverage.ts');
    const repository = new URL(process.argv[1]);
    const notRun = await noteCoverage(new URL('test/fixtures/simulation/', repository).href);
    const { sign } = await import('./test/fixtures/simulation/branches.ts');
    sign(1);
    const one = await notRun();
    sign(-1);
    const both = neither(one, await notRun());
    console.log(JSON.stringify([one, both].map((ranges) => linesOf(ranges, repository))));`;
  const repository = new URL('../../', import.meta.url);
  const args = ['--input-type=module', '--eval', script, repository.href];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: fileURLToPath(repository) });

  const below = "test/fixtures/simulation/branches.ts:3: if (value < 0) return 'below';";
  const zero = "test/fixtures/simulation/branches.ts:4: return value === 0 ? 'zero' : 'above';";
  expect(JSON.parse(stdout)).toEqual([[below, zero], [zero]]);
});
