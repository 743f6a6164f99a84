import {
  drop,
  type Operation,
  type Operations,
  put,
  set,
  text,
  type Workload,
} from '../../../src/develop/testing/simulation/workload.ts';
import type { Write } from '../../../src/develop/testing/simulation/world/step.ts';
import type { World } from '../../../src/develop/testing/simulation/world/world.ts';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';
import { type Item, type ItemKey, keyText } from '../../../src/model/item.ts';
import { textOf } from '../oracle/attributes.ts';
import { board, boards, pin } from './boards.ts';

/** More attributes than two writes change, since an index is looked at twice, and than one condition compares. */
const wideNames = Array.from({ length: 230 }, (_, index) => `wide${index}`);

const wideRoots = boards.slice(0, 2);

function everywhere(names: readonly string[], value: AttributeValue): Item {
  return Object.fromEntries(names.map((name) => [name, value]));
}

/** A root becomes wide, and a copy of it at the same time, or later by the worker's hand. */
const widen: Operation = (workload) => {
  const key = workload.random.pick(wideRoots);
  const wide = everywhere(wideNames, text(workload.fresh()));
  const there = workload.now(key);
  if (there === undefined || workload.random.chance(0.4)) return [set(key, wide)];
  const at = { pk: 'PIN1', sk: workload.random.pick(['a', 'b']) };
  return [set(key, wide), put(pin(workload, at, key, { ...there, ...wide }))];
};

/** Some of them, next to each other: as many as one write takes, or more. */
const changeWide: Operation = (workload) => {
  const start = workload.random.int(0, 200);
  const names = wideNames.slice(start, start + workload.random.pick([1, 20, 150]));
  return [set(workload.random.pick(wideRoots), everywhere(names, text(workload.fresh())))];
};

const narrow: Operation = (workload) => [drop(workload.random.pick(wideRoots), ...wideNames)];

const removeWide: Operation = (workload) => {
  const { table } = workload.world;
  const copies = wideCopies(workload.world).map((copy) => table.read(copy) ?? {});
  const named = copies.flatMap((copy) => boards.filter((board) => isPinOf(copy, board)));
  return removal(workload, workload.random.pick(named.length === 0 ? wideRoots : named));
};

function removal(workload: Workload, key: ItemKey): readonly Write[] {
  const there = workload.now(key);
  if (there === undefined) return [];
  return workload.random.chance(0.7) ? [{ delete: key }] : [{ delete: key }, put(there)];
}

/** A wide copy that a worker is about to write shows another board, or stands on another shelf. */
const snatch: Operation = ({ random, world }) => {
  const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const wide = wideCopies(world).filter((key) => pending.includes(`update ${keyText(key)}`));
  if (wide.length === 0) return [];
  const { sk } = random.pick(boards);
  return [
    set(
      random.pick(wide),
      random.pick([{ Board: text(sk) }, { GSI2PK: text(`SHELF#${random.pick(['low', 'high'])}`) }]),
    ),
  ];
};

/** On a wide copy: what one propagation writes, and another does not look at. */
const scribbleWide: Operation = (workload) => {
  const copies = wideCopies(workload.world);
  if (copies.length === 0) return [];
  return [set(workload.random.pick(copies), { [workload.random.pick(wideNames)]: text(workload.fresh()) })];
};

function wideCopies({ table }: World): ItemKey[] {
  return table
    .items()
    .filter((item) => Object.keys(item).length > 100)
    .map(keyIn);
}

/** A root that leaves some of its copies room, and others none. */
const swell: Operation = (workload) => {
  const named = workload.world.table.items().flatMap((item) => boards.filter((key) => isPinOf(item, key)));
  if (named.length === 0) return [];
  return [
    set(workload.random.pick(named), { Big: long(workload, workload.random.pick([210, 210, 150, 1])) }),
  ];
};

/** A copy with more, or less, room for what its root says. */
const fill: Operation = (workload) => {
  const pins = workload.world.table.items().filter((item) => boards.some((key) => isPinOf(item, key)));
  if (pins.length === 0) return [];
  return [
    set(keyIn(workload.random.pick(pins)), {
      Note: long(workload, workload.random.pick([230, 230, 120, 1])),
    }),
  ];
};

function isPinOf(item: Item, { pk, sk }: ItemKey): boolean {
  return textOf(item, 'BoardOrg') === pk.slice(1) && textOf(item, 'Board') === sk;
}

function long(workload: Workload, kilobytes: number): AttributeValue {
  return text(workload.fresh() + 'x'.repeat(kilobytes * 1024));
}

/** Each of these signs takes six in JSON, as which a key travels: half a dozen of such keys are more than a message names. */
const org = '\u0001'.repeat(2000);
const longBoard: ItemKey = { pk: `B${org}`, sk: '1' };
const longPins: readonly ItemKey[] = [...'abcdefghi'].map((sign) => ({
  pk: `PIN${org}`,
  sk: sign.padEnd(1000, '\u0001'),
}));

const openLong: Operation = (workload) => [put(board(workload, longBoard)), ...pinLong(workload)];

/** All of its pins once more, as the application knew them: each is to be checked. */
const pinAgain: Operation = pinLong;

function pinLong(workload: Workload): readonly Write[] {
  const image = board(workload, longBoard);
  return longPins.map((key) =>
    put({ ...pin(workload, key, longBoard, image), PK: text(key.pk), GSI2SK: text(`PIN#${key.sk[0]}`) }),
  );
}

const moveLong: Operation = (workload) => [
  set(longBoard, { Shelf: text(workload.random.pick(['low', 'high'])) }),
];

function keyIn({ PK, SK }: Item): ItemKey {
  return { pk: PK && 'S' in PK ? PK.S : '', sk: SK && 'S' in SK ? SK.S : '' };
}

/** What is seldom so large: items of so many attributes or bytes, keys of such a length, that a limit is in the way. */
export const extremeOperations = {
  wide: [
    [4, widen],
    [3, changeWide],
    [1, narrow],
    [2.5, removeWide],
    [2, scribbleWide],
    [8, snatch],
  ],
  large: [
    [1, swell],
    [1, fill],
  ],
  long: [
    [1, openLong],
    [5, pinAgain],
    [1, moveLong],
  ],
} as const satisfies Readonly<Record<string, Operations>>;

export type Extreme = keyof typeof extremeOperations;
