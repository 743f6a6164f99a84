import {
  copied,
  drop,
  type Operation,
  type Operations,
  put,
  set,
  text,
  type Workload,
} from '../../../src/develop/testing/simulation/workload.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import { isContent, textOf } from '../oracle/attributes.ts';

/** Joined, the keys of the first two read the same. */
export const boards: readonly ItemKey[] = [
  { pk: 'B1', sk: '23' },
  { pk: 'B12', sk: '3' },
  { pk: 'B1', sk: '9' },
];
const shelves = ['low', 'high'];
const pins = ['a', 'b', 'c', 'd', 'e'];

function pinKey(workload: Workload): ItemKey {
  return { pk: workload.random.pick(['PIN1', 'PIN12']), sk: workload.random.pick(pins) };
}

export function board(workload: Workload, key: ItemKey): Item {
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('Board'),
    Name: text(workload.fresh()),
    Shelf: text(workload.random.pick(shelves)),
    Color: workload.freshValue(),
  };
}

/** A pin of a board. Now and then one of another tenant: nothing may come of that. */
export function pin(workload: Workload, at: ItemKey, of: ItemKey, image: Item): Item {
  const tenant = `PIN${of.pk.slice(1)}`;
  const pk = workload.random.chance(0.9) ? tenant : at.pk;
  const { Shelf } = image;
  const shelf = Shelf && 'S' in Shelf ? Shelf.S : 'low';
  const content = Object.entries(image).filter(([name]) => isContent(name) && name !== 'Type');
  return {
    ...copied(workload, content),
    PK: text(pk),
    SK: text(at.sk),
    Type: text('Pin'),
    Board: text(of.sk),
    BoardOrg: text(of.pk.slice(1)),
    Note: text('mine'),
    GSI2PK: text(`SHELF#${shelf}`),
    GSI2SK: text(`PIN#${pk}#${at.sk}`),
  };
}

const setUp: Operation = (workload) => {
  const key = workload.random.pick(boards);
  const made = board(workload, key);
  const pinned = workload.random
    .some(pins, 0.5)
    .map((sk) => put(pin(workload, { pk: 'PIN1', sk }, key, made)));
  return [put(made), ...pinned];
};

const change: Operation = (workload) => {
  const key = workload.random.pick(boards);
  return [
    workload.random.pick([
      set(key, { Name: text(workload.fresh()) }),
      set(key, { Name: text(workload.fresh()), Color: workload.freshValue() }),
      set(key, { Extra: workload.freshValue() }),
    ]),
  ];
};

const nudge: Operation = (workload) => workload.nudge(workload.random.pick(boards), ['Color', 'Extra']);

const move: Operation = (workload) => [
  set(workload.random.pick(boards), { Shelf: text(workload.random.pick(shelves)) }),
];

/** A board is closed: its pins lose what they say of it, until it is opened again. */
const close: Operation = (workload) => [set(workload.random.pick(boards), { Closed: { BOOL: true } })];

const reopen: Operation = (workload) => {
  const key = workload.random.pick(boards);
  return [drop(key, 'Closed')];
};

/** Closed and opened again at once, or with another name: its records come late, and twice. */
const flicker: Operation = (workload) => {
  const key = workload.random.pick(boards);
  return [
    set(key, { Closed: { BOOL: true } }),
    set(key, { Name: text(workload.fresh()) }),
    drop(key, 'Closed'),
  ];
};

const attach: Operation = (workload) => {
  const key = workload.random.pick(boards);
  const seen = workload.seen(key);
  return seen === undefined ? [] : [put(pin(workload, pinKey(workload), key, seen))];
};

/** A board is pinned once more, and gone at once, or elsewhere: an index may not show the pin yet. */
const attachAndLeave: Operation = (workload) => {
  const key = workload.random.pick(boards);
  const there = workload.now(key);
  if (there === undefined) return [];
  const shelf = shelves.find((one) => one !== textOf(there, 'Shelf')) ?? 'low';
  const leaves = workload.random.chance(0.5) ? { delete: key } : set(key, { Shelf: text(shelf) });
  return [put(pin(workload, pinKey(workload), key, there)), leaves];
};

const scribble: Operation = (workload) => {
  const key = pinKey(workload);
  const { random } = workload;
  return [
    random.pick([
      set(key, { Name: text(workload.fresh()) }),
      set(key, { Note: text(workload.fresh()) }),
      drop(key, 'Color'),
      set(key, { GSI2PK: text(`SHELF#${random.pick(shelves)}`) }),
      set(key, { Board: text(random.pick(boards).sk) }),
    ]),
  ];
};

/** A pin goes to the shelf of the board that it names. */
const reshelve: Operation = (workload) => {
  const key = pinKey(workload);
  const there = workload.now(key);
  const named = boards.find(({ sk }) => sk === textOf(there ?? {}, 'Board'));
  const shelf = named && textOf(workload.now(named) ?? {}, 'Shelf');
  return shelf === undefined ? [] : [set(key, { GSI2PK: text(`SHELF#${shelf}`) })];
};

const detach: Operation = (workload) => [{ delete: pinKey(workload) }];

const remove: Operation = (workload) => [{ delete: workload.random.pick(boards) }];

const age: Operation = (workload) => [set(workload.random.pick(boards), { ExpiresAt: workload.expiry() })];

/** A pin may expire of itself. */
const agePin: Operation = (workload) => [set(pinKey(workload), { ExpiresAt: workload.expiry() })];

const replace: Operation = (workload) => {
  const key = workload.random.pick(boards);
  return workload.now(key) === undefined ? [] : [{ delete: key }, put(board(workload, key))];
};

export const boardOperations: Operations = [
  [4, setUp],
  [6, change],
  [3, nudge],
  [2, move],
  [4, reshelve],
  [4, attach],
  [3, scribble],
  [1, detach],
  [1.2, remove],
  [3, attachAndLeave],
  [1.2, age],
  [0.7, replace],
  [0.8, agePin],
  [1.2, close],
  [2, reopen],
  [0.8, flicker],
];
