import { Applications, type Operation } from '../../src/develop/testing/simulation/applications.ts';
import type { Project } from '../../src/develop/testing/simulation/project.ts';
import type { Random } from '../../src/develop/testing/simulation/random.ts';
import type { Workload } from '../../src/develop/testing/simulation/scheduler.ts';
import { drop, put, type Step, set, type Write } from '../../src/develop/testing/simulation/world/step.ts';
import type { World } from '../../src/develop/testing/simulation/world/world.ts';
import { type Item, type ItemKey, keyIn, keyText, text } from '../../src/model/item.ts';
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
export class Extremes implements Workload {
  private readonly ordinary: Applications;
  private readonly project: Project;
  private readonly random: Random;
  private readonly world: World;
  private readonly operations: readonly (readonly [weight: number, operation: Operation])[];
  private texts = 0;

  constructor(project: Project, random: Random, world: World, extreme: Extreme) {
    this.ordinary = new Applications(project, random, world);
    this.project = project;
    this.random = random;
    this.world = world;
    this.operations = { wide: this.wide(), large: this.large(), long: this.long() }[extreme];
  }

  open(): Step | undefined {
    return this.ordinary.open();
  }

  write(): Step | undefined {
    if (!this.random.chance(0.4)) return this.ordinary.write();
    const writes = this.random.weighted(this.operations)?.() ?? [];
    return writes.length === 0 ? undefined : { do: 'write', who: 'extremes', writes };
  }

  contend(): readonly Write[] {
    return this.ordinary.contend();
  }

  private wide() {
    const { random, world } = this;
    const wideCopies = () => this.pins().filter((item) => Object.keys(item).length > 100);
    /** A root becomes wide, and a copy of it at the same time, or later by the worker's hand. */
    const widen: Operation = () => {
      const root = this.some(this.boards().slice(0, 2));
      if (root === undefined) return [];
      const wide = everywhere(wideNames, this.text());
      const [link] = this.project.links;
      const copy = link && this.ordinary.items.linked(link, { ...root, ...wide });
      const widened = set(keyIn(table, root), wide);
      return copy === undefined || random.chance(0.4) ? [widened] : [widened, put(copy)];
    };
    /** Some attributes, next to each other: as many as one write takes, or more. */
    const change: Operation = () => {
      const start = random.int(0, 200);
      const names = wideNames.slice(start, start + random.pick([1, 20, 150]));
      return this.onSome(this.boards().slice(0, 2), () => everywhere(names, this.text()));
    };
    const narrow: Operation = () => {
      const root = this.some(this.boards());
      return root === undefined ? [] : [drop(keyIn(table, root), ...wideNames)];
    };
    const remove: Operation = () => {
      const named = wideCopies().flatMap((copy) => this.boards().filter((one) => isPinOf(copy, one)));
      const root = this.some(named.length > 0 ? named : this.boards());
      if (root === undefined) return [];
      const gone = { delete: keyIn(table, root) };
      return random.chance(0.7) ? [gone] : [gone, put(root)];
    };
    /** What one propagation writes, and another does not look at. */
    const scribble: Operation = () =>
      this.onSome(wideCopies(), () => ({ [random.pick(wideNames)]: this.text() }));
    /** A wide copy that a worker is about to write shows another board, or is on another shelf. */
    const snatch: Operation = () => {
      const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
      const isPending = (item: Item) => pending.includes(`update ${keyText(keyIn(table, item))}`);
      const board = random.pick(['A', 'AA', 'AAA']);
      const shelf = random.pick(['low', 'high']);
      return this.onSome(wideCopies().filter(isPending), () =>
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

  private large() {
    const named = () => this.boards().filter((board) => this.pins().some((pin) => isPinOf(pin, board)));
    /** A root that leaves some of its copies room, and others none. */
    const swell: Operation = () => this.onSome(named(), () => ({ Big: this.text([210, 210, 150, 1]) }));
    /** A copy with more, or less, room for what its root says. */
    const fill: Operation = () => this.onSome(this.pins(), () => ({ Note: this.text([230, 230, 120, 1]) }));
    return [
      [1, swell],
      [1, fill],
    ] as const;
  }

  private long() {
    const board = (): Item => ({
      ...{ PK: { S: longBoard.pk }, SK: { S: longBoard.sk }, Type: { S: 'Board' } },
      ...{ Name: this.text(), Shelf: { S: this.random.pick(['low', 'high']) } },
    });
    /** All of its pins, as the application knew them: each is to be checked. */
    const pin = (): Write[] => {
      const { Name = this.text(), Shelf } = board();
      return longPins.map(({ pk, sk }) =>
        put({
          ...{ PK: { S: pk }, SK: { S: sk }, Type: { S: 'Pin' }, Name },
          ...{ Board: { S: longBoard.sk }, BoardOrg: { S: org } },
          ...{ GSI2PK: { S: `SHELF#${text(Shelf)}` }, GSI2SK: { S: `PIN#${sk[0]}` } },
        }),
      );
    };
    const open: Operation = () => [put(board()), ...pin()];
    const move: Operation = () => [set(longBoard, { Shelf: { S: this.random.pick(['low', 'high']) } })];
    return [
      [1, open],
      [5, pin],
      [1, move],
    ] as const;
  }

  private boards(): Item[] {
    return this.world.table.items().filter(({ Type }) => text(Type) === 'Board');
  }

  private pins(): Item[] {
    return this.world.table.items().filter(({ Type }) => text(Type) === 'Pin');
  }

  private some(items: readonly Item[]): Item | undefined {
    return items.length === 0 ? undefined : this.random.pick(items);
  }

  private onSome(items: readonly Item[], attributes: () => Item): readonly Write[] {
    const item = this.some(items);
    return item === undefined ? [] : [set(keyIn(table, item), attributes())];
  }

  /** A text that was not there before, of one of these lengths. */
  private text(kilobytes: readonly number[] = [0]) {
    this.texts += 1;
    return { S: `${this.texts}${'x'.repeat(this.random.pick(kilobytes) * 1024)}` };
  }
}

function everywhere(names: readonly string[], value: Item[string]): Item {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function isPinOf({ Board, BoardOrg }: Item, board: Item): boolean {
  const { pk, sk } = keyIn(table, board);
  return text(Board) === sk && `B${text(BoardOrg)}` === pk;
}
