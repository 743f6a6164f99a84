// Runs the program named by the arguments for as long as the process that started this one holds its end of our
// stdin. That end is closed by the kernel however that process ends, SIGKILL included: then the program is stopped.
// The terminal's signals are not ours to act on: whoever started us drains first, and closes stdin after that.
import { spawn } from 'node:child_process';

const graceMilliseconds = 2_000;
const [program = '', ...args] = process.argv.slice(2);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
// Whoever started us kills the server by this id, should something kill us alone.
process.stdout.write(`${server.pid ?? ''}\n`);
process.stdout.on('error', () => {});

server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
server.on('exit', (code) => process.exit(code ?? 1));

process.stdin.on('close', stop).on('error', stop).resume();

function stop(): void {
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), graceMilliseconds);
}
