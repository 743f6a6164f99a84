/**
 * `node bin/node-24.mjs bench/dead-letters/main.ts [count]`: memory and processor time of `denorm dlq list` on a queue of 50,000 dead
 * letters, beside bare reads of the same ones. Each runs as a process of its own, on a stub of SQS in another. Prints a table.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { environmentAt } from '../stub-server.ts';

const count = Number(process.argv[2] ?? 50_000);
const rounds = 3;

/** Printed at the end of each process, a launcher included. */
const usage = `import { writeSync } from 'node:fs';
process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  writeSync(2, '\\nusage ' + maxRSS / 1024 + ' ' + (userCPUTime + systemCPUTime) / 1e6 + '\\n');
});`;

interface Usage {
  readonly megabytes: number;
  readonly seconds: number;
}

/** @param args of the node that runs this */
async function measured(endpoint: string, args: readonly string[]): Promise<Usage> {
  const child = spawn(process.execPath, [...args], {
    env: {
      ...{ ...process.env, ...environmentAt(endpoint) },
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=data:text/javascript,${encodeURIComponent(usage)}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = [text(child.stdout), text(child.stderr)];
  const [code] = await once(child, 'exit');
  const told = [...(await errors).matchAll(/^usage (\S+) (\S+)$/gm)];
  const printed = await output;
  if (code !== 0 || !printed.replaceAll(',', '').includes(String(count)))
    throw new Error(
      `Expected ${count} dead letters, got code ${code}:\n${printed.slice(-500)}\n${await errors}`,
    );
  return {
    megabytes: Math.max(...told.map(([, megabytes]) => Number(megabytes))),
    seconds: told.reduce((sum, [, , seconds]) => sum + Number(seconds), 0),
  };
}

const stub = spawn(process.execPath, ['bench/dead-letters/stub.ts', String(count)], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = await once(stub.stdout, 'data');
const endpoint = String(line).trim();
const queue = `${endpoint}/000000000000/dead-letters`;
const ways = {
  receive: ['bench/dead-letters/bare.ts', queue, 'receive'],
  'receive, and show again': ['bench/dead-letters/bare.ts', queue, 'return'],
  'denorm dlq list': [
    'bin/denorm.mjs',
    'dlq',
    'list',
    '--dead-letter-queue-url',
    queue,
    '--endpoint',
    endpoint,
  ],
};
const best: Record<string, Usage> = {};
try {
  for (let round = 0; round < rounds; round += 1)
    for (const [way, args] of Object.entries(ways)) {
      const one = await measured(endpoint, args);
      const { [way]: before = one } = best;
      best[way] = {
        megabytes: Math.max(before.megabytes, one.megabytes),
        seconds: Math.min(before.seconds, one.seconds),
      };
    }
} finally {
  stub.kill();
}
console.log(`| ${count} dead letters | memory, MB | processor, s |\n|---|--:|--:|`);
for (const [way, { megabytes, seconds }] of Object.entries(best))
  console.log(`| ${way} | ${megabytes.toFixed(0)} | ${seconds.toFixed(2)} |`);
