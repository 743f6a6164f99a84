/**
 * Stands in for vitest in the processes that play mutants: collects the tests of a file, to be played one by one and over
 * and over without loading anything again. `expect` is vitest's own.
 */
import { format } from 'node:util';

export { expect } from 'vitest';

/** A collected test, with the hooks around it. */
export interface CollectedTest {
  readonly name: string;
  play(): Promise<void>;
}

type Body = (...args: never[]) => unknown;
type Hook = () => unknown;

interface Suite {
  readonly name: string;
  readonly before: Hook[];
  readonly after: Hook[];
}

let suites: readonly Suite[] = [];
let tests: CollectedTest[] = [];
/** Hooks of the test that is played. */
let finished: Hook[] = [];

/** Loads a file of tests and returns them. */
export async function collect(name: string, load: () => Promise<unknown>): Promise<readonly CollectedTest[]> {
  tests = [];
  suites = [{ name, before: [], after: [] }];
  await load();
  return tests;
}

function addSuite(name: string, body: Hook): void {
  const outer = suites;
  suites = [...outer, { name, before: [], after: [] }];
  body();
  suites = outer;
}

function addTest(name: string, body: Hook): void {
  const around = suites;
  const play = async () => {
    for (const { before } of around) for (const hook of before) await hook();
    finished = [];
    try {
      await body();
    } finally {
      for (const hook of finished.toReversed()) await hook();
      for (const { after } of around.toReversed()) for (const hook of after) await hook();
    }
  };
  tests.push({ name: [...around.map((suite) => suite.name), name].join(' > '), play });
}

/** `(name, body)`, or `(name, options, body)`. */
function bodyOf(rest: readonly unknown[]): Body {
  const body = rest.find((one): one is Body => typeof one === 'function');
  if (body === undefined) throw new Error('Expected a test with a body, found one without');
  return body;
}

type Adder = (name: string, ...rest: readonly unknown[]) => void;

function collecting(add: (name: string, body: Hook) => void) {
  const one: Adder = (name, ...rest) => add(name, bodyOf(rest) as Hook);
  const each =
    (rows: readonly unknown[]): Adder =>
    (name, ...rest) => {
      const body = bodyOf(rest) as (...args: readonly unknown[]) => unknown;
      for (const [index, row] of rows.entries()) {
        const args = Array.isArray(row) ? row : [row];
        add(`${format(name, ...args.map(titleOf))} (${index})`, () => body(...args));
      }
    };
  return Object.assign(one, { each });
}

function titleOf(arg: unknown): unknown {
  return typeof arg === 'object' || typeof arg === 'function' ? '…' : arg;
}

export const describe = collecting(addSuite);
export const test = collecting(addTest);
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
