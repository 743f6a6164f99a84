import type { Project } from '../../src/examples/project-examples.ts';
import type { Random } from '../../src/examples/random.ts';
import { type Item, type ItemKey, keyIn, keyText, text } from '../../src/model/items/item.ts';
import { applicationsOf, type Operation } from '../../src/simulator/applications.ts';
import type { Workload } from '../../src/simulator/scheduler.ts';
import { dropAttributes, put, type Step, set, type Write } from '../../src/simulator/world/step.ts';
import type { World } from '../../src/simulator/world/world.ts';
import { table } from '../../src/table.ts';

/** What is seldom so large: items of so many attributes or bytes, keys of such a length, that a limit is in the way. */
export type Extreme = 'wide' | 'large' | 'long';

/** More attributes than two writes change, since an index is looked at twice, and than one condition compares. */
const wideNames = Array.from({ length: 230 }, (_, index) => `wide${index}`);

/** Each of these signs takes six in JSON, as which a key travels: half a dozen of such keys are more than a message names. */
const org = '\u0001'.repeat(2000);
const longBoard: ItemKey = { pk: `B${org}`, sk: 'A' };
const longPins: readonly ItemKey[] = [...'abcdefghi'].map((sign) => ({
  pk: `PIN${org}`,
  sk: sign.padEnd(1000, '\u0001'),
}));

/** Applications of boards and pins, some of whose items are extreme. */
export function extremesOf(project: Project, random: Random, world: World, extreme: Extreme): Workload {
  const ordinary = applicationsOf(project, random, world);
  let texts = 0;

  const ofType = (type: string) => world.table.items().filter(({ Type }) => text(Type) === type);
  const boards = () => ofType('Board');
  const pins = () => ofType('Pin');

  function some(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : random.pick(items);
  }

  function onSome(items: readonly Item[], attributes: () => Item): readonly Write[] {
    const item = some(items);
    return item === undefined ? [] : [set(keyIn(table, item), attributes())];
  }

  /** A text that was not there before, of one of these lengths. */
  function newText(kilobytes: readonly number[] = [0]) {
    texts += 1;
    return { S: `${texts}${'x'.repeat(random.pick(kilobytes) * 1024)}` };
  }

  function wide() {
    const wideCopies = () => pins().filter((item) => Object.keys(item).length > 100);
    /** A root becomes wide, and a copy of it at the same time, or later by the worker's hand. */
    const widen: Operation = () => {
      const root = some(boards().slice(0, 2));
      if (root === undefined) return [];
      const wide = everywhere(wideNames, newText());
      const [link] = project.links;
      const copy = link && ordinary.items.linked(link, { ...root, ...wide });
      const widened = set(keyIn(table, root), wide);
      return copy === undefined || random.chance(0.4) ? [widened] : [widened, put(copy)];
    };
    /** Some attributes, next to each other: as many as one write takes, or more. */
    const change: Operation = () => {
      const start = random.int(0, 200);
      const names = wideNames.slice(start, start + random.pick([1, 20, 150]));
      return onSome(boards().slice(0, 2), () => everywhere(names, newText()));
    };
    const narrow: Operation = () => {
      const root = some(boards());
      return root === undefined ? [] : [dropAttributes(keyIn(table, root), ...wideNames)];
    };
    const remove: Operation = () => {
      const named = wideCopies().flatMap((copy) => boards().filter((one) => isPinOf(copy, one)));
      const root = some(named.length > 0 ? named : boards());
      if (root === undefined) return [];
      const gone = { delete: keyIn(table, root) };
      return random.chance(0.7) ? [gone] : [gone, put(root)];
    };
    /** What one propagation writes, and another does not look at. */
    const scribble: Operation = () => onSome(wideCopies(), () => ({ [random.pick(wideNames)]: newText() }));
    /** A wide copy that a worker is about to write shows another board, or is on another shelf. */
    const snatch: Operation = () => {
      const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
      const isPending = (item: Item) => pending.includes(`update ${keyText(keyIn(table, item))}`);
      const board = random.pick(['A', 'AA', 'AAA']);
      const shelf = random.pick(['low', 'high']);
      return onSome(wideCopies().filter(isPending), () =>
        random.pick<Item>([{ Board: { S: board } }, { GSI2PK: { S: `SHELF#${shelf}` } }]),
      );
    };
    return [
      [4, widen],
      [3, change],
      [1, narrow],
      [2.5, remove],
      [2, scribble],
      [8, snatch],
    ] as const;
  }

  function large() {
    const named = () => boards().filter((board) => pins().some((pin) => isPinOf(pin, board)));
    /** A root that leaves some of its copies room, and others none. */
    const swell: Operation = () => onSome(named(), () => ({ Big: newText([210, 210, 150, 1]) }));
    /** A copy with more, or less, room for what its root says. */
    const fill: Operation = () => onSome(pins(), () => ({ Note: newText([230, 230, 120, 1]) }));
    return [
      [1, swell],
      [1, fill],
    ] as const;
  }

  function long() {
    const board = (): Item => ({
      ...{ PK: { S: longBoard.pk }, SK: { S: longBoard.sk }, Type: { S: 'Board' } },
      ...{ Name: newText(), Shelf: { S: random.pick(['low', 'high']) } },
    });
    /** All of its pins, as the application knew them: each is to be checked. */
    const pin = (): Write[] => {
      const { Name = newText(), Shelf } = board();
      return longPins.map(({ pk, sk }) =>
        put({
          ...{ PK: { S: pk }, SK: { S: sk }, Type: { S: 'Pin' }, Name },
          ...{ Board: { S: longBoard.sk }, BoardOrg: { S: org } },
          ...{ GSI2PK: { S: `SHELF#${text(Shelf)}` }, GSI2SK: { S: `PIN#${sk[0]}` } },
        }),
      );
    };
    const open: Operation = () => [put(board()), ...pin()];
    const move: Operation = () => [set(longBoard, { Shelf: { S: random.pick(['low', 'high']) } })];
    return [
      [1, open],
      [5, pin],
      [1, move],
    ] as const;
  }

  const operations = { wide, large, long }[extreme]();
  return {
    ...ordinary,
    write(): Step | undefined {
      if (!random.chance(0.4)) return ordinary.write();
      const writes = random.weighted<Operation>(operations)?.() ?? [];
      return writes.length === 0 ? undefined : { do: 'write', who: 'extremes', writes };
    },
  };
}

function everywhere(names: readonly string[], value: Item[string]): Item {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function isPinOf({ Board, BoardOrg }: Item, board: Item): boolean {
  const { pk, sk } = keyIn(table, board);
  return text(Board) === sk && `B${text(BoardOrg)}` === pk;
}
