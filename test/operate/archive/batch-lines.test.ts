import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { lineOf } from '../../../src/operate/archive/read-states.ts';

const load = vi.hoisted(() => ({ running: 0, most: 0, times: 0 }));

vi.mock('node:zlib', async (original) => {
  const zlib = await original<typeof import('node:zlib')>();
  const gunzip: typeof zlib.gunzip = Object.assign((...given: Parameters<typeof zlib.gunzip>) => {
    const [body, options, done] = given;
    load.times += 1;
    load.running += 1;
    load.most = Math.max(load.most, load.running);
    zlib.gunzip(body, options, (...answer) => {
      load.running -= 1;
      done(...answer);
    });
  }, zlib.gunzip);
  return { ...zlib, gunzip };
});

const lines = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join('');

test('a batch is decompressed once for all of its lines, and batches one at a time', async () => {
  const batches = [1, 2, 3].map(() => gzipSync(lines));
  const read = batches.flatMap((body) => [0, 49].map((line) => lineOf(body, line, 'archive/a')));

  expect(await Promise.all(read)).toEqual([1, 2, 3].flatMap(() => ['line 0', 'line 49']));
  expect(load).toMatchObject({ times: 3, most: 1 });
});

test('a batch up to the bound is read, and a longer one is damaged', async () => {
  expect(await lineOf(gzipSync(lines), 49, 'archive/a', lines.length)).toBe('line 49');
  await expect(lineOf(gzipSync(lines), 49, 'archive/a', lines.length - 1)).rejects.toMatchObject({
    code: 'archive.damaged',
    message: expect.stringMatching(/archive\/a .* more than 389 bytes decompressed/),
    cause: { code: 'ERR_BUFFER_TOO_LARGE' },
  });
});
