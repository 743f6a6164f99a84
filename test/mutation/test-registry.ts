/**
 * Takes the place of vitest where mutants run: registers the tests of a file, to be run one by one and over and over without
 * loading anything again. `expect` is vitest's own.
 */
import { format } from 'node:util';
import type { TestCase } from './time-limit.ts';

export { expect } from 'vitest';

type Hook = () => unknown;
type Register = (name: string, body: Hook) => void;
type Body = (...args: readonly unknown[]) => unknown;

interface Suite {
  readonly name: string;
  readonly before: Hook[];
  readonly after: Hook[];
}

let suites: readonly Suite[] = [];
let tests: TestCase[] = [];
/** Hooks of the test that runs. */
let finished: Hook[] = [];

/** Loads a file of tests and returns them. */
export async function registeredTests(
  file: string,
  load: () => Promise<unknown>,
): Promise<readonly TestCase[]> {
  tests = [];
  suites = [{ name: file, before: [], after: [] }];
  await load();
  return tests;
}

const addSuite: Register = (name, body) => {
  const outer = suites;
  suites = [...outer, { name, before: [], after: [] }];
  body();
  suites = outer;
};

const addTest: Register = (name, body) => {
  const around = suites;
  async function run(): Promise<void> {
    for (const { before } of around) for (const hook of before) await hook();
    finished = [];
    try {
      await body();
    } finally {
      for (const hook of finished.toReversed()) await hook();
      for (const { after } of around.toReversed()) for (const hook of after) await hook();
    }
  }
  tests.push({ name: [...around.map((suite) => suite.name), name].join(' > '), run });
};

/** `(name, body)` or `(name, options, body)`, and `each`. */
function registering(register: Register) {
  const bodyIn = (rest: readonly unknown[]): Body => {
    const body = rest.find((one): one is Body => typeof one === 'function');
    if (body === undefined) throw new Error('Expected a test with a body, found one without');
    return body;
  };
  const one = (name: string, ...rest: readonly unknown[]) => register(name, bodyIn(rest));
  const each =
    (rows: readonly unknown[]) =>
    (name: string, ...rest: readonly unknown[]) => {
      for (const [index, row] of rows.entries()) {
        const args = [row].flat();
        const titles = args.map((arg) => (['object', 'function'].includes(typeof arg) ? '…' : arg));
        register(`${format(name, ...titles)} (${index})`, () => bodyIn(rest)(...args));
      }
    };
  return Object.assign(one, { each });
}

export const describe = registering(addSuite);
export const test = registering(addTest);
export const it = test;

export function beforeEach(hook: Hook): void {
  suites.at(-1)?.before.push(hook);
}

export function afterEach(hook: Hook): void {
  suites.at(-1)?.after.push(hook);
}

export function onTestFinished(hook: Hook): void {
  finished.push(hook);
}
