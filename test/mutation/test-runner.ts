import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DryRunResult, MutantRunResult, RunnerRequest } from './requests.ts';

/** How long a process may take to load everything, and to run everything without a mutant. In milliseconds. */
const loading = 180_000;
const dryRunning = 600_000;

/** A mutant that needs more memory than this, in megabytes, does not end. */
const memory = 1024;

/** A process that runs tests in the sandbox. Who starts it ends it. */
export class TestRunner {
  private readonly child: ChildProcess;
  /** Resolves when the process has ended, with its last words. */
  private readonly ended: Promise<string>;

  private constructor(child: ChildProcess) {
    this.child = child;
    let errors = '';
    child.stderr?.on('data', (text) => {
      errors = `${errors}${text}`.slice(-2000);
    });
    this.ended = once(child, 'close').then(() => errors.trim());
  }

  /** @param staticMutant is active while files load */
  static async start(sandbox: string, seeds: number, staticMutant?: string): Promise<TestRunner> {
    const script = new URL('./test-runner-child.ts', import.meta.url);
    const args = [sandbox, String(seeds), ...(staticMutant === undefined ? [] : [staticMutant])];
    const runner = new TestRunner(
      fork(script, args, {
        // Without the options of its parent, but for where the mutated sources find one another.
        execArgv: [`--max-old-space-size=${memory}`, '--conditions=stream-denormalizer-source'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, NODE_OPTIONS: '' },
      }),
    );
    const ready = await runner.message(loading);
    if (ready === undefined) {
      const why = await runner.end();
      throw new Error(`Expected the tests and the simulator to load, got: ${why || 'nothing in time'}`);
    }
    return runner;
  }

  /** Runs everything without a mutant. */
  async dryRun(): Promise<DryRunResult> {
    const result = await this.ask<DryRunResult>({ run: 'dry' }, dryRunning);
    if (result === undefined) throw new Error('Expected the tests to end without a mutant');
    return result;
  }

  /** Undefined if the process did not answer in time or has ended. Then it is of no more use. */
  ask<Result = MutantRunResult>(request: RunnerRequest, milliseconds: number): Promise<Result | undefined> {
    this.child.send(request, () => {});
    return this.message<Result>(milliseconds);
  }

  /** Ends the process, and returns its last words. */
  async end(): Promise<string> {
    this.child.kill('SIGKILL');
    return await this.ended;
  }

  /** The next message of the process; undefined if none comes in time. */
  private async message<Result>(milliseconds: number): Promise<Result | undefined> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), milliseconds);
    this.ended.then(() => over.abort());
    try {
      const [message] = await once(this.child, 'message', { signal: over.signal });
      return message;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
