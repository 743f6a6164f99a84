// Program: `cold.mjs <bundle> <event.json>` loads a function's bundle as Lambda does, has it answer the event, and prints
// what each took. JavaScript, because Node would spend time on the types.
import { readFileSync } from 'node:fs';

const [, , bundle = '', file = ''] = process.argv;
const event = JSON.parse(readFileSync(file, 'utf8'));
const invocation = { getRemainingTimeInMillis: () => 300_000, functionName: 'bench', awsRequestId: 'r' };

const [init, { handler }] = await measured(() => import(bundle));
// AWS is asked by HTTPS. The stub is not, and a first import of node:http takes long.
await import('node:http');
const [first] = await measured(() => handler(event, invocation));
const [second] = await measured(() => handler(event, invocation));
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stderr.write(JSON.stringify({ init, first, second, megabytes }));
process.exit();

/** @param {() => Promise<any>} run */
async function measured(run) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await run();
  const clock = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return [{ clock, cpu: (user + system) / 1000 }, result];
}
