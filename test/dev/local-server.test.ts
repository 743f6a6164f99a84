import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { boundPort, startLocalServer } from '../../src/dev/local-server.ts';

/** Answers from its host and port; says the words and ends if they are given. */
const program = `
const [host, port, words] = process.argv.slice(2);
if (words) {
  console.error(words);
  process.exit(1);
}
require('node:http').createServer((_, answer) => answer.end('ok')).listen(Number(port), host);
`;

let others: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(others.map((end) => end()));
  others = [];
});

/** A port that another process has on all addresses, and that does not answer. */
async function takenPort(): Promise<number> {
  const other = createServer((socket) => socket.destroy());
  await new Promise<void>((listening) => other.listen(0, '0.0.0.0', listening));
  others.push(() => new Promise((closed) => other.close(closed)));
  return boundPort(other);
}

async function started(args: (host: string, port: number, tried: number) => readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'denorm-server-test-'));
  const script = join(folder, 'server.cjs');
  await writeFile(script, program);
  let tried = 0;
  const starting = startLocalServer({
    ...{ name: 'a server', program: process.execPath, folder, deadlineMs: 20_000 },
    args: (host, port) => {
      tried += 1;
      return [script, ...args(host, port, tried)];
    },
  });
  const outcome = await starting.catch((error: unknown) => error);
  if (!(outcome instanceof Error)) others.push((await starting).stop);
  return { outcome, folder, tried };
}

describe('a local server', () => {
  test('is started on another port if another process has taken the first', async () => {
    const taken = await takenPort();
    const { outcome, folder, tried } = await started((host, port, tried) => [
      host,
      String(tried === 1 ? taken : port),
    ]);

    expect([tried, outcome]).toEqual([2, expect.objectContaining({ endpoint: expect.any(String) })]);
    expect(existsSync(folder)).toBe(true);
    await Promise.all(others.splice(1).map((end) => end()));
    expect(existsSync(folder)).toBe(false);
  });

  test('is given up after five ports', async () => {
    const { outcome, folder, tried } = await started((host, port) => [
      host,
      '1',
      `port ${port} is already in use`,
    ]);

    expect([tried, String(outcome)]).toEqual([5, expect.stringContaining('is already in use')]);
    expect(existsSync(folder)).toBe(false);
  });

  test('that ends for another reason is started once', async () => {
    const { outcome, folder, tried } = await started((host) => [host, '1', 'no such table']);

    expect([tried, String(outcome)]).toEqual([1, 'Error: no such table']);
    expect(existsSync(folder)).toBe(false);
  });
});
