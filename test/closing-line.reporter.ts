import type { Reporter, TestModule } from 'vitest/node';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Ends the run's output with `N passed, N failed`, and `, N skipped` where tests were skipped.
 * What fails outside of a test counts as one failure each: a file that does not load, a hook around a suite,
 * an unhandled error. The line never says `0 failed` beside an exit code other than 0, nor may a run in which
 * no test ran end with 0.
 */
export class ClosingLineReporter implements Reporter {
  private tally: Tally = { passed: 0, failed: 0, skipped: 0 };

  // Vitest prints and sets the exit code after its last report as well (coverage, teardown, a server that
  // hangs), so the line waits for the end of the process. Writes to files, pipes and terminals are synchronous.
  onInit(): void {
    process.once('exit', (code) => {
      const { passed, skipped } = this.tally;
      const ran = passed + this.tally.failed > 0;
      const failed = this.tally.failed === 0 && (code !== 0 || !ran) ? 1 : this.tally.failed;
      if (failed > 0 && code === 0) process.exitCode = 1;
      process.stdout.write(
        `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
      );
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    this.tally = count(modules);
    this.tally.failed += unhandledErrors.length;
  }
}

function count(modules: readonly TestModule[]): Tally {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const module of modules) {
    if (module.errors().length > 0) tally.failed += 1;
    for (const suite of module.children.allSuites()) if (suite.errors().length > 0) tally.failed += 1;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test still pending when the run ends was interrupted, or its worker died.
      tally[state === 'pending' ? 'failed' : state] += 1;
    }
  }
  return tally;
}
