import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import * as z from 'zod';

const measured = z.object({
  results: z.array(z.object({ way: z.string(), requests: z.number() })),
});

// The benchmark fails by itself if a way does not write the copies that differ, and only those.
const env = { ...process.env, NODE_OPTIONS: '--conditions=stream-denormalizer-source' };

test('the benchmark of cold starts starts every function', () => {
  const { status, stdout } = spawnSync(process.execPath, ['bench/start/main.ts', '--rounds', '1'], {
    encoding: 'utf8',
    env,
  });

  expect(status).toBe(0);
  const rows = [...stdout.matchAll(/^\| (\w+) \| \d+ kB \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ MB \|$/gm)];
  expect(rows.map(([, id]) => id).toSorted()).toEqual(['Archive', 'FanOut', 'Propagate', 'Sweep', 'Verify']);
}, 120_000);

test('the benchmark does the work in each way, and counts the requests', () => {
  const options = ['--rounds', '1', '--seconds', '0.001', '--json'];
  const ways = ['usual-50', 'write-port', 'handler'].flatMap((way) => ['--way', way]);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/main.ts', ...options, ...ways], {
    encoding: 'utf8',
    env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

  const requests = measured
    .parse(JSON.parse(stdout))
    .results.map(({ way, requests: count }) => `${way} ${count}`);
  // The handler: a query, the root, and 40 batches of statements.
  expect(requests).toEqual(['usual-50 1001', 'write-port 40', 'handler 42']);
}, 120_000);
