import { isDeepStrictEqual } from 'node:util';
import type { DevEnvironment } from '../../dev/dev-environment.ts';
import type { ApplicationItem, ApplicationTable } from '../../dev/table/application-table.ts';
import type { ItemKey } from '../../model/item.ts';
import { table } from '../../table.ts';
import { styled, tableOf } from '../output/terminal.ts';
import type { WorkSeen } from './work-seen.ts';

/** Thrown where a story ends otherwise than it should. */
export class StoryFailed extends Error {
  override readonly name = 'StoryFailed';
}

/** What a story plays on: the application's view of the table, and the worker beside it. */
export interface Stage {
  readonly application: ApplicationTable;
  readonly worker: DevEnvironment;
  /** What the worker has asked of the table so far. */
  readonly seen: WorkSeen;
  /** How long anything may take to come true, in milliseconds. */
  readonly deadline: number;
  /** The body of an object of the archive, or undefined where there is none. */
  archived(objectKey: string): Promise<string | undefined>;
  /** Whether the table holds the very item that this body does, number for number and byte for byte. */
  holdsExactly(key: ItemKey, body: string): Promise<boolean>;
}

/** One short story: what is there, what an application does, and what must then be true. */
export interface Story {
  readonly title: string;
  tell(stage: Stage): Promise<void>;
}

/** An item that a story watches, and what it must hold in the end; attributes set to undefined must be missing. */
export interface Expected {
  readonly key: ItemKey;
  readonly attributes: ApplicationItem;
}

/** Puts the items of a story on stage and lets the worker come to rest. */
export async function setTheStage(
  { application, worker }: Stage,
  items: readonly ApplicationItem[],
): Promise<void> {
  for (const item of items) await application.put(item);
  await worker.idle();
}

/**
 * Lets an application act, waits until every item is as expected, and prints what became of them, how long each took to
 * arrive, and what it cost the worker.
 * @throws StoryFailed where an item is not as expected in time, or an attribute changed that nothing was to touch
 */
export async function play(
  stage: Stage,
  expected: readonly Expected[],
  act: () => Promise<void>,
): Promise<void> {
  const { application, worker, seen } = stage;
  const before = await Promise.all(expected.map(({ key }) => application.get(key)));
  const counted = seen.counts();
  await act();
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
  console.log(styled('dim', `cost: ${costOf(seen.counts(), counted)}\n`));
}

/** Says what a story has found out, after it was checked. */
export function found(text: string): void {
  console.log(`${styled('green', '✓')} ${text}`);
}

/** @throws StoryFailed where it is not so */
export function demand(isSo: boolean, what: string): void {
  if (!isSo) throw new StoryFailed(`Expected that ${what}, and this is not the case`);
  found(what);
}

/** Waits until something is so. */
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

/** Widths for the four columns: what the terminal has, or 140 characters where there is none. */
function columns(): number[] {
  const rest = Math.max(100, process.stdout.columns ?? 140) - 15;
  return [Math.floor(rest * 0.36), Math.floor(rest * 0.32), Math.floor(rest * 0.32), 10];
}

/** What the worker asked of the table between two counts, its looks at its own writes coming back included. */
function costOf(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>): string {
  const spent = Object.entries(now).flatMap(([name, count]) => {
    const since = count - (before[name] ?? 0);
    return since === 0 ? [] : [`${name}: ${since}`];
  });
  return spent.length === 0 ? 'nothing' : spent.join(', ');
}
