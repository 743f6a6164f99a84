import { isDeepStrictEqual } from 'node:util';
import { pairs, styled } from '../../src/cli/output/terminal.ts';
import type { DevEnvironment } from '../../src/dev/dev-environment.ts';
import { DenormError } from '../../src/model/basics/errors.ts';
import { visible } from '../../src/model/basics/text.ts';
import type { ItemKey } from '../../src/model/items/item.ts';
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
  const changes = expected.map(({ key }, index) => ({
    key,
    milliseconds: arrivals[index] ?? 0,
    text: changesText(before[index], after[index]),
  }));
  // Items of one partition that change alike are shown once.
  const alike = Map.groupBy(changes, ({ key, text }) => `${key.pk}\n${text}`);
  for (const group of alike.values()) console.log(groupText(group));
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

interface Change {
  readonly key: ItemKey;
  readonly milliseconds: number;
  readonly text: string;
}

function groupText(group: readonly Change[]): string {
  const [first] = group;
  const items = group.map(({ key }) => visible(key.sk)).join(', ');
  const within = Math.max(...group.map(({ milliseconds }) => milliseconds)).toFixed(0);
  return `${styled('bold', visible(first?.key.pk ?? ''))}  ${items}: within ${within} ms\n${first?.text}`;
}

/** A line for each attribute that changed, and one that counts the others. */
function changesText(before: ApplicationItem = {}, after: ApplicationItem = {}): string {
  const names = Object.keys({ ...before, ...after })
    .filter((name) => name !== table.pk && name !== table.sk)
    .sort();
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  const others = names.length - changed.length;
  return [
    pairs(changed.map((name) => [name, `${shown(before[name])} → ${shown(after[name])}`])),
    ...(others > 0 ? [styled('dim', `  ${others} others untouched`)] : []),
  ].join('\n');
}

function shown(value: unknown): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
