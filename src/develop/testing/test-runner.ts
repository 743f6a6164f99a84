/** What a conformance suite needs of a test runner: vitest, node:test and others have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => Promise<void>): unknown;
}

/** The one whose `describe` and `test` are global, otherwise vitest in a worker of vitest, otherwise `node:test`. */
export const runner: TestRunner = await running();

async function running(): Promise<TestRunner> {
  const { describe, test } = globalThis as Partial<TestRunner>;
  if (typeof describe === 'function' && typeof test === 'function') return { describe, test };
  return '__vitest_worker__' in globalThis ? import('vitest') : import('node:test');
}
