// Program: `cold.mjs <bundle> <event.json>` loads a function's bundle as Lambda does, has it answer the event, and prints the
// CPU milliseconds of both. JavaScript, because Node would spend time on the types.
import { readFileSync } from 'node:fs';
// AWS is asked by HTTPS. The stub is not, and a first import of node:http takes long.
import 'node:http';

const [, , bundle = '', file = ''] = process.argv;
const event = JSON.parse(readFileSync(file, 'utf8'));

const before = process.cpuUsage();
const { handler } = await import(bundle);
await handler(event, { getRemainingTimeInMillis: () => 300_000, functionName: 'bench', awsRequestId: 'r' });
const { user, system } = process.cpuUsage(before);
// Its logs stand before it.
process.stderr.write(`\n${(user + system) / 1000}`);
process.exit();
