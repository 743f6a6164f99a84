import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { type DevProcess, startDev } from './dev-process.ts';
import { LikesWriters } from './likes.ts';

/** `bin/denorm.mjs dev --db-path`, killed while four writers put members, rewrite, move and remove them. */
const config = fileURLToPath(new URL('../fixtures/likes/denorm.config.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'denorm-ledger-'));
const members = 2000;
const lives = 3;
let dev: DevProcess | undefined;

afterAll(async () => {
  await dev?.kill();
  rmSync(folder, { recursive: true, force: true });
});

test('a ledger in denorm dev, killed while members come, change, move and go, has exact totals at rest', async () => {
  const writers = new LikesWriters(members);
  let isWritten = false;
  const start = async () => {
    dev = await startDev(folder, config);
    await dev.ready;
    writers.endpoint = dev.endpoint;
  };
  await start();
  await writers.putPosts();
  const written = writers.run(4).then(() => {
    isWritten = true;
  });
  for (let life = 1; life < lives; life += 1) {
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(isWritten).toBe(false);
    await dev?.kill();
    await start();
  }
  await written;

  await vi.waitFor(
    async () => {
      for (const post of ['a', 'b']) expect(await writers.found(post)).toEqual(writers.expected(post));
    },
    { timeout: 120_000, interval: 500 },
  );
});
