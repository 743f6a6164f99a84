import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import * as z from 'zod';

const measured = z.object({
  results: z.array(z.object({ work: z.string(), way: z.string(), requests: z.number() })),
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

test('the benchmark does a work in each way, and counts the requests', () => {
  const options = ['--rounds', '1', '--seconds', '0.001', '--json', '--work', 'by-index'];
  const ways = ['usual-50', 'write-port', 'handler'].flatMap((way) => ['--way', way]);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bench/main.ts', ...options, ...ways], {
    encoding: 'utf8',
    env,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });

  const requests = measured
    .parse(JSON.parse(stdout))
    .results.map(({ work, way, requests: count }) => `${work} ${way} ${count}`);
  // The handler: a query, ten batch reads in four steps, the root after each, 40 batches of statements, and the recheck.
  expect(requests).toEqual(['by-index usual-50 1001', 'by-index write-port 40', 'by-index handler 56']);
}, 120_000);
