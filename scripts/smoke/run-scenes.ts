import { equal } from '../../src/model/attribute-value.ts';
import { attribute, keyIn } from '../../src/model/item.ts';
import { table } from '../../src/table.ts';
import type { TablePort } from '../../src/worker/ports.ts';
import { type Line, lineOf } from './lines.ts';
import type { OwnItems } from './own-items.ts';
import type { Expected, Scene } from './propagations.ts';
import type { Wait } from './wait.ts';

export interface ScenesRun {
  readonly table: Pick<TablePort, 'get'>;
  readonly items: Pick<OwnItems, 'put' | 'change' | 'remove'>;
  readonly wait: Pick<Wait, 'until'>;
  /** Which log to read. */
  readonly stackName: string;
}

/** Plays a scene: the copies follow a change of their root, and go with it where the rule says so. */
export async function playScene(run: ScenesRun, scene: Scene): Promise<Line[]> {
  const { rule, root, copies, changed, expected } = scene;
  const copied = await lineOf(`propagation: ${rule}`, async () => {
    // As applications do: a root first, or with its copies.
    for (const item of [root, ...copies]) await run.items.put(item);
    await run.items.change(changed);
    const started = performance.now();
    const isSo = await run.wait.until(rule, () => allHold(run, expected));
    if (isSo) return { status: 'passed', detail: `${items(expected.length)} in ${since(started)}` };
    return late(run, `${await missing(run, expected)} of ${items(expected.length)} not as their root`);
  });
  if (!scene.copiesGo || copied.status !== 'passed') return [copied];
  const gone = await lineOf(`removal: ${rule}`, async () => {
    const started = performance.now();
    await run.items.remove(keyIn(table, root));
    const isSo = await run.wait.until(`removal by ${rule}`, () => allGone(run, scene));
    return isSo
      ? { status: 'passed', detail: `${items(copies.length)} in ${since(started)}` }
      : late(run, 'copies are still there');
  });
  return [copied, gone];
}

function late({ stackName }: ScenesRun, detail: string): Omit<Line, 'check'> {
  return {
    status: 'failed',
    detail: `${detail} when the time was up`,
    action:
      `see the event source of Propagate in this table; \`sam logs --name Propagate --stack-name ${stackName}\` and ` +
      `\`npx denorm dlq list --stack ${stackName}\` say what was refused. A stack that was just deployed may need more --within`,
  };
}

async function missing(run: ScenesRun, expected: readonly Expected[]): Promise<number> {
  const held = await Promise.all(expected.map((one) => holds(run, one)));
  return held.filter((isSo) => !isSo).length;
}

async function allHold(run: ScenesRun, expected: readonly Expected[]): Promise<true | undefined> {
  for (const one of expected) if (!(await holds(run, one))) return undefined;
  return true;
}

async function allGone(run: ScenesRun, { copies }: Scene): Promise<true | undefined> {
  for (const copy of copies) if ((await run.table.get(keyIn(table, copy))) !== undefined) return undefined;
  return true;
}

async function holds(run: ScenesRun, { key, attributes }: Expected): Promise<boolean> {
  const item = await run.table.get(key);
  if (item === undefined) return false;
  return Object.entries(attributes).every(([name, values]) =>
    values.some((value) => equal(value, attribute(item, name))),
  );
}

function items(count: number): string {
  return `${count} ${count === 1 ? 'item' : 'items'}`;
}

function since(started: number): string {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}
