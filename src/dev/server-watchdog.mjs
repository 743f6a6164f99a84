// Runs the program that the arguments after the first name until stdin is closed. The kernel closes it when the parent process
// ends, even by SIGKILL. Then removes the folder that the first argument names, if it is not empty: a parent that was killed
// while the program started could not. Ignores the terminal's signals, because the parent process drains first and then
// closes stdin. JavaScript, so that it has the same name in the published package, where the rest is compiled.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

const graceMilliseconds = 2_000;
let isTold = false;
const [folder = '', program = '', ...args] = process.argv.slice(2);

/** @type {NodeJS.Signals[]} */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
for (const signal of signals) process.on(signal, () => {});

const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
// If only this process is killed, the parent uses this ID to kill the server.
process.stdout.write(`${server.pid ?? ''}\n`);
process.stdout.on('error', () => {});

server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  end(1);
});
server.on('exit', (code) => end(code ?? 1));

process.stdin.on('close', stop).on('error', stop).resume();

/** The parent may start a server that has ended by itself once more, in the same folder. @param {number} code */
function end(code) {
  if (isTold && folder !== '') rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

function stop() {
  isTold = true;
  server.kill('SIGTERM');
  setTimeout(() => server.kill('SIGKILL'), graceMilliseconds);
}
