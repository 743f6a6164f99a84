import type { TestRunner } from 'stream-denormalizer/testing';

/** Runs a conformance suite, and tells the names of its tests, and which of them fail with what. */
export async function suiteRun(
  describeSuite: (runner: TestRunner) => void,
): Promise<{ titles: string[]; failures: Map<string, string> }> {
  const tests: [string, () => Promise<void>][] = [];
  describeSuite({ describe: (_, body) => body(), test: (title, body) => tests.push([title, body]) });
  const failures = new Map<string, string>();
  for (const [title, body] of tests)
    await body().catch((error: unknown) => failures.set(title, error instanceof Error ? error.message : ''));
  return { titles: tests.map(([title]) => title), failures };
}
