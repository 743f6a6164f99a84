import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { collect, describe, test } from './collect-tests.ts';
import { mutatedFolders } from './folders.ts';
import { firstLine } from './play.ts';

/** The unit tests of what is mutated, and of the rules that they work on. */
const folders = [...mutatedFolders, 'rules'].map((name) => `test/${name}`);

/** Something to play: it throws where it fails. */
export interface Playable {
  readonly name: string;
  play(): Promise<unknown>;
}

/** All that can be played in a copy of the repository, and what cannot, with why. */
export interface Playables {
  readonly cases: ReadonlyMap<string, Playable>;
  /** Files that are not for these processes. */
  readonly leftOut: readonly string[];
  /** Files that do not load. */
  readonly failing: readonly string[];
}

/** Loads the unit tests and the simulator of a copy of the repository; the simulator is played from seed 1 on. */
export async function loadCases(folder: string, seeds: number): Promise<Playables> {
  replaceVitest();
  // Properties are tried on the same values every time, and a failure is enough: no smaller one is looked for.
  fc.configureGlobal({ seed: 1, endOnFailure: true });
  const tests = await loadTests(folder);
  const played = await loadSeeds(folder, seeds);
  const cases = new Map([...tests.cases, ...played].map((one) => [one.name, one]));
  return { ...tests, cases };
}

function replaceVitest(): void {
  // The conformance suite of rules takes the runner that is global.
  Object.assign(globalThis, { describe, test });
  const replacement = new URL('./collect-tests.ts', import.meta.url).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== 'vitest' || context.parentURL === replacement) return next(specifier, context);
      return { url: replacement, shortCircuit: true };
    },
  });
}

async function loadTests(folder: string) {
  const cases: Playable[] = [];
  const leftOut: string[] = [];
  const failing: string[] = [];
  for (const file of folders.flatMap((name) => testFiles(folder, name))) {
    const path = join(folder, file);
    if (readFileSync(path, 'utf8').includes('vi.mock(')) {
      leftOut.push(`${file}: it puts other modules in place of the real ones`);
      continue;
    }
    try {
      cases.push(...(await collect(file, () => import(pathToFileURL(path).href))));
    } catch (error) {
      failing.push(`${file}: ${firstLine(error)}`);
    }
  }
  return { cases, leftOut, failing };
}

function testFiles(folder: string, name: string): string[] {
  return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => `${name}/${file}`);
}

/** What the simulator says of a run, as far as it matters here. */
interface Run {
  run(seed: number): Promise<{ readonly violations: readonly { readonly what: string }[] }>;
}

async function loadSeeds(folder: string, seeds: number): Promise<Playable[]> {
  const { run }: Run = await import(pathToFileURL(join(folder, 'test/simulation/run.ts')).href);
  return Array.from({ length: seeds }, (_, index) => ({
    name: `seed ${index + 1}`,
    play: async () => {
      const [violation] = (await run(index + 1)).violations;
      if (violation !== undefined) throw new Error(violation.what);
    },
  }));
}
