import { globSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { mutatedFolders } from './folders.ts';
import { describe, registeredTests, test } from './test-registry.ts';
import { firstLine, type TestCase } from './time-limit.ts';

/** The unit tests of what is mutated, and of the rules that they work on. */
const folders = [...mutatedFolders, 'rules'].map((name) => `test/${name}`);

export interface TestCases {
  readonly tests: ReadonlyMap<string, TestCase>;
  /** Files that these processes cannot run, with why. */
  readonly leftOut: readonly string[];
  /** Files that do not load. */
  readonly failing: readonly string[];
}

/** Loads the unit tests of a sandbox and its simulator, which runs from seed 1 on. */
export async function loadTestCases(sandbox: string, seeds: number): Promise<TestCases> {
  replaceVitest();
  // Properties are tried on the same values every time, and a failure is enough: no smaller one is looked for.
  fc.configureGlobal({ seed: 1, endOnFailure: true });
  const { tests, ...others } = await unitTests(sandbox);
  const all = [...tests, ...(await simulatedSeeds(sandbox, seeds))];
  return { ...others, tests: new Map(all.map((one) => [one.name, one])) };
}

function replaceVitest(): void {
  // The conformance suite of rules takes the runner that is global.
  Object.assign(globalThis, { describe, test });
  const registry = new URL('./test-registry.ts', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'vitest' || context.parentURL === registry) return next(specifier, context);
      return { url: registry, shortCircuit: true };
    },
  });
}

async function unitTests(sandbox: string) {
  const tests: TestCase[] = [];
  const leftOut: string[] = [];
  const failing: string[] = [];
  for (const file of folders.flatMap((name) => globSync(`${name}/**/*.test.ts`, { cwd: sandbox }).sort())) {
    const path = join(sandbox, file);
    if (readFileSync(path, 'utf8').includes('vi.mock(')) {
      leftOut.push(`${file}: it replaces modules`);
      continue;
    }
    try {
      tests.push(...(await registeredTests(file, () => import(pathToFileURL(path).href))));
    } catch (error) {
      failing.push(`${file}: ${firstLine(error)}`);
    }
  }
  return { tests, leftOut, failing };
}

/** What the simulator says of a run, as far as it matters here. */
interface Run {
  run(seed: number): Promise<{ readonly violations: readonly { readonly what: string }[] }>;
}

async function simulatedSeeds(sandbox: string, seeds: number): Promise<TestCase[]> {
  const { run }: Run = await import(pathToFileURL(join(sandbox, 'test/simulation/run.ts')).href);
  return Array.from({ length: seeds }, (_, index) => ({
    name: `seed ${index + 1}`,
    run: async () => {
      const [violation] = (await run(index + 1)).violations;
      if (violation !== undefined) throw new Error(violation.what);
    },
  }));
}
