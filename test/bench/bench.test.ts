import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const measured = z.object({
  results: z.array(z.object({ work: z.string(), way: z.string(), requests: z.number() })),
});

describe('the benchmark', () => {
  // It fails by itself if a way does not write the copies that differ, and only those.
  test('does each work in each way, and counts the requests', () => {
    const ways = ['usual-50', 'write-port', 'handler'].flatMap((way) => ['--way', way]);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['bench/main.ts', '--rounds', '1', '--seconds', '0.001', '--json', ...ways],
      {
        encoding: 'utf8',
        env: { ...process.env, NODE_OPTIONS: '--conditions=stream-denormalizer-source' },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const requests = measured
      .parse(JSON.parse(stdout))
      .results.map(({ work, way, requests }) => `${work} ${way} ${requests}`);

    expect(requests).toEqual(
      expect.arrayContaining([
        'one-root usual-50 1001',
        'one-root write-port 40',
        'one-root handler 42',
        'many-roots usual-50 1200',
        'many-roots write-port 40',
        'by-index usual-50 1001',
        // A query and ten batch reads for the page, the root, 40 batches of statements, and a message for the recheck.
        'by-index handler 53',
        'mostly-right usual-50 4',
        'mostly-right write-port 1',
        'mostly-right handler 3',
      ]),
    );
  }, 60_000);
});
