import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DryRun, Request, Trial, TrialRequest } from './messages.ts';

/** How long a process may take to load everything, and to play everything without a mutant. In milliseconds. */
const loading = 180_000;
const dryRunning = 600_000;

/** A mutant that needs more memory than this, in megabytes, does not come to an end. */
const memory = 1024;

/** A process that plays mutants in the instrumented copy. Who starts it closes it. */
export class TestProcess {
  private readonly child: ChildProcess;
  /** Resolves when the process is gone, with its last words. */
  private readonly gone: Promise<string>;

  private constructor(child: ChildProcess) {
    this.child = child;
    let errors = '';
    child.stderr?.on('data', (text) => {
      errors = `${errors}${text}`.slice(-2000);
    });
    this.gone = once(child, 'close').then(() => errors.trim());
  }

  /** Starts one; `onLoad` is a mutant that is on while its files load. */
  static async start(folder: string, seeds: number, onLoad?: string): Promise<TestProcess> {
    const script = new URL('./worker.ts', import.meta.url);
    const args = [folder, String(seeds), ...(onLoad === undefined ? [] : [onLoad])];
    const testProcess = new TestProcess(
      fork(script, args, {
        // Without the options of its parent, but for where the mutated sources find one another.
        execArgv: [`--max-old-space-size=${memory}`, '--conditions=stream-denormalizer-source'],
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
        env: { ...process.env, NODE_OPTIONS: '' },
      }),
    );
    const ready = await testProcess.hears(loading);
    if (ready === undefined) {
      const why = await testProcess.end();
      throw new Error(`Expected the tests and the simulator to load, got: ${why || 'nothing in time'}`);
    }
    return testProcess;
  }

  /** Plays everything without a mutant. */
  async dryRun(): Promise<DryRun> {
    const found = await this.ask({ do: 'dry-run' }, dryRunning);
    if (found === undefined) throw new Error('Expected the tests to come to an end without a mutant');
    return found as DryRun;
  }

  /** Plays a mutant; undefined where the process did not answer in time or is gone. Then it is of no more use. */
  async try(asked: TrialRequest, milliseconds: number): Promise<Trial | undefined> {
    return (await this.ask(asked, milliseconds)) as Trial | undefined;
  }

  /** Ends the process, whatever it is at, and returns its last words. */
  async end(): Promise<string> {
    this.child.kill('SIGKILL');
    return await this.gone;
  }

  /** The answer is what worker.ts gives to such a request. */
  private async ask(asked: Request, milliseconds: number): Promise<unknown> {
    this.child.send(asked, () => {});
    return (await this.hears(milliseconds))?.said;
  }

  private async hears(milliseconds: number): Promise<{ readonly said: unknown } | undefined> {
    const over = new AbortController();
    const { signal } = over;
    const timer = setTimeout(() => over.abort(), milliseconds);
    this.gone.then(() => over.abort());
    try {
      const [said] = await once(this.child, 'message', { signal });
      return { said };
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}
