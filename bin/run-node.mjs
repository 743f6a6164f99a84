import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/**
 * Runs `args` under a Node, with this process's stdio. Passes SIGINT, SIGTERM and SIGHUP on, because a signal sent to this
 * process alone would not reach it; after a Ctrl-C it therefore gets SIGINT twice, from the terminal and from here.
 * Resolves to the code to exit with: the child's own, 128 + the number of the signal that ended it, or 2 where it could not be
 * started (said on stderr).
 * @param {string} node path of its program
 * @param {string[]} args script and its arguments
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>}
 */
export function runNode(node, args, env) {
  return new Promise((done) => {
    // Of what this project needs, Node 22 calls `node:sqlite` experimental, and some versions TypeScript.
    const child = spawn(node, ['--disable-warning=ExperimentalWarning', ...args], { stdio: 'inherit', env });
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, () => child.kill(signal));
    if (process.env['npm_command'] !== undefined) endWithParent(child);
    child.on('error', (error) => {
      console.error(`Expected ${node} to start, got: ${error.message}. Install Node again.`);
      done(2);
    });
    child.on('exit', (code, signal) => done(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
}

/**
 * Ends the child when the process that started this one is gone. For npx and npm only: a SIGTERM ends those, and reaches
 * nothing below them. Whoever starts a command from a shell in the background means it to outlive that shell. So does nohup,
 * of which npx and npm die all the same, because Node forgets that SIGHUP is ignored.
 * @param {import('node:child_process').ChildProcess} child
 */
function endWithParent(child) {
  const parent = process.ppid;
  let hungUp = false;
  process.on('SIGHUP', () => {
    hungUp = ![0, 1, 2].some((descriptor) => isatty(descriptor));
  });
  const timer = setInterval(() => {
    if (hungUp) return clearInterval(timer);
    if (process.ppid === parent) return;
    // Once: the child ends cleanly, and a second signal would hurry it.
    clearInterval(timer);
    child.kill('SIGTERM');
  }, 500);
  timer.unref();
}
