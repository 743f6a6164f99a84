import { isDeepStrictEqual } from 'node:util';
import { tableOf } from '../../src/cli/output/table.ts';
import { styled } from '../../src/cli/output/terminal.ts';
import type { DevEnvironment } from '../../src/develop/dev/dev-environment.ts';
import { DenormError } from '../../src/model/errors.ts';
import type { ItemKey } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import type { ApplicationItem, ApplicationTable } from './application-table.ts';

/** Thrown if a story does not end as expected. */
export class StoryFailed extends DenormError {
  override readonly name = 'StoryFailed';

  constructor(message: string) {
    super('demo.story-failed', message);
  }
}

/** The environment of a story: the application's view of the table, with the worker running beside it. */
export interface Stage {
  readonly application: ApplicationTable;
  readonly worker: DevEnvironment;
  /** Maximum time to wait for an expected state, in milliseconds. */
  readonly deadline: number;
  /** The body of an archived object, or undefined if the object does not exist. */
  archived(objectKey: string): Promise<string | undefined>;
  /** Whether the item in the table equals the archived body, number for number and byte for byte. */
  holdsExactly(key: ItemKey, body: string): Promise<boolean>;
}

/** A short story: the initial items, a change by the application, and the expected result. */
export interface Story {
  readonly title: string;
  tell(stage: Stage): Promise<void>;
}

/** An item to watch, and its expected attributes. An attribute set to undefined must be missing. */
export interface Expected {
  readonly key: ItemKey;
  readonly attributes: ApplicationItem;
}

/** Writes the story's initial items and waits until the worker is idle. */
export async function setTheStage(
  { application, worker }: Stage,
  items: readonly ApplicationItem[],
): Promise<void> {
  for (const item of items) await application.put(item);
  await worker.idle();
}

/**
 * Runs the application's change, waits until every item is as expected, and prints the changes to each item and their
 * latency.
 * @throws StoryFailed if an item is not as expected in time, or if an unrelated attribute changed
 */
export async function play(
  stage: Stage,
  expected: readonly Expected[],
  action: () => Promise<void>,
): Promise<void> {
  const { application, worker } = stage;
  const before = await Promise.all(expected.map(({ key }) => application.get(key)));
  await action();
  const acted = performance.now();
  const arrivals = await Promise.all(expected.map((one) => arrival(stage, one, acted)));
  await worker.idle();
  const after = await Promise.all(expected.map(({ key }) => application.get(key)));
  for (const [index, one] of expected.entries()) refuseStrayChanges(one, before[index], after[index]);
  console.log(
    tableOf(
      ['item', 'before', 'after', 'arrived'],
      expected.map(({ key }, index) => row(key, before[index], after[index], arrivals[index])),
      columns(),
    ),
  );
}

/** Prints a result of a story that was verified. */
export function found(text: string): void {
  console.log(`${styled('green', '✓')} ${text}`);
}

/** @throws StoryFailed if the condition is false */
export function demand(isSo: boolean, what: string): void {
  if (!isSo) throw new StoryFailed(`Expected that ${what}, and this is not the case`);
  found(what);
}

/** Waits until the condition is true. */
export async function until(isSo: () => Promise<boolean>, what: string, within: number): Promise<void> {
  const end = performance.now() + within;
  while (!(await isSo())) {
    if (performance.now() > end)
      throw new StoryFailed(`Expected within ${within} ms that ${what}, and this did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function arrival(
  { application, deadline }: Stage,
  { key, attributes }: Expected,
  since: number,
): Promise<number> {
  await until(
    async () => holds(await application.get(key), attributes),
    `${key.pk} / ${key.sk} is as it should be`,
    deadline,
  );
  return performance.now() - since;
}

function holds(item: ApplicationItem | undefined, attributes: ApplicationItem): boolean {
  return (
    item !== undefined &&
    Object.entries(attributes).every(([name, value]) => isDeepStrictEqual(item[name], value))
  );
}

function refuseStrayChanges(
  { key, attributes }: Expected,
  before: ApplicationItem = {},
  after: ApplicationItem = {},
): void {
  const stray = Object.keys({ ...before, ...after }).filter(
    (name) => !(name in attributes) && !isDeepStrictEqual(before[name], after[name]),
  );
  if (stray.length > 0)
    throw new StoryFailed(
      `Expected ${stray.join(', ')} of ${key.pk} / ${key.sk} to stay unchanged, but it changed`,
    );
}

function row(key: ItemKey, before: ApplicationItem = {}, after: ApplicationItem = {}, arrived = 0): string[] {
  const names = Object.keys({ ...before, ...after })
    .filter((name) => name !== table.pk && name !== table.sk)
    .sort();
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const unchanged = names.filter((name) => !changed.includes(name));
  const lines = (item: ApplicationItem, style: 'red' | 'green') =>
    changed.map((name) => styled(style, `${name}: ${shown(item[name])}`));
  const untouched = unchanged.length > 0 ? [styled('dim', `untouched: ${unchanged.length} others`)] : [];
  return [
    `${key.pk}\n${key.sk}`,
    lines(before, 'red').join('\n'),
    [...lines(after, 'green'), ...untouched].join('\n'),
    `${arrived.toFixed(0)} ms`,
  ];
}

function shown(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Widths of the four columns, for the width of the terminal or 140 characters without a terminal. */
function columns(): number[] {
  const rest = Math.max(100, process.stdout.columns ?? 140) - 15;
  return [Math.floor(rest * 0.36), Math.floor(rest * 0.32), Math.floor(rest * 0.32), 10];
}
