import {
  type Act,
  type Acts,
  copied,
  drop,
  put,
  type Scene,
  set,
  text,
} from '../../../src/develop/testing/simulation/scene.ts';
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

function pinKey(scene: Scene): ItemKey {
  return { pk: scene.random.pick(['PIN1', 'PIN12']), sk: scene.random.pick(pins) };
}

export function board(scene: Scene, key: ItemKey): Item {
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('Board'),
    Name: text(scene.fresh()),
    Shelf: text(scene.random.pick(shelves)),
    Color: scene.freshValue(),
  };
}

/** A pin of a board. Now and then one of another tenant: nothing may come of that. */
export function pin(scene: Scene, at: ItemKey, of: ItemKey, image: Item): Item {
  const tenant = `PIN${of.pk.slice(1)}`;
  const pk = scene.random.chance(0.9) ? tenant : at.pk;
  const { Shelf } = image;
  const shelf = Shelf && 'S' in Shelf ? Shelf.S : 'low';
  const content = Object.entries(image).filter(([name]) => isContent(name) && name !== 'Type');
  return {
    ...copied(scene, content),
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

const setUp: Act = (scene) => {
  const key = scene.random.pick(boards);
  const made = board(scene, key);
  const pinned = scene.random.some(pins, 0.5).map((sk) => put(pin(scene, { pk: 'PIN1', sk }, key, made)));
  return [put(made), ...pinned];
};

const change: Act = (scene) => {
  const key = scene.random.pick(boards);
  return [
    scene.random.pick([
      set(key, { Name: text(scene.fresh()) }),
      set(key, { Name: text(scene.fresh()), Color: scene.freshValue() }),
      set(key, { Extra: scene.freshValue() }),
    ]),
  ];
};

const nudge: Act = (scene) => scene.nudge(scene.random.pick(boards), ['Color', 'Extra']);

const move: Act = (scene) => [set(scene.random.pick(boards), { Shelf: text(scene.random.pick(shelves)) })];

/** A board is closed: its pins lose what they say of it, until it is opened again. */
const close: Act = (scene) => [set(scene.random.pick(boards), { Closed: { BOOL: true } })];

const reopen: Act = (scene) => {
  const key = scene.random.pick(boards);
  return [drop(key, 'Closed')];
};

/** Closed and opened again at once, or with another name: its records come late, and twice. */
const flicker: Act = (scene) => {
  const key = scene.random.pick(boards);
  return [set(key, { Closed: { BOOL: true } }), set(key, { Name: text(scene.fresh()) }), drop(key, 'Closed')];
};

const attach: Act = (scene) => {
  const key = scene.random.pick(boards);
  const seen = scene.seen(key);
  return seen === undefined ? [] : [put(pin(scene, pinKey(scene), key, seen))];
};

/** A board is pinned once more, and gone at once, or elsewhere: an index may not show the pin yet. */
const attachAndLeave: Act = (scene) => {
  const key = scene.random.pick(boards);
  const there = scene.now(key);
  if (there === undefined) return [];
  const shelf = shelves.find((one) => one !== textOf(there, 'Shelf')) ?? 'low';
  const leaves = scene.random.chance(0.5) ? { delete: key } : set(key, { Shelf: text(shelf) });
  return [put(pin(scene, pinKey(scene), key, there)), leaves];
};

const scribble: Act = (scene) => {
  const key = pinKey(scene);
  const { random } = scene;
  return [
    random.pick([
      set(key, { Name: text(scene.fresh()) }),
      set(key, { Note: text(scene.fresh()) }),
      drop(key, 'Color'),
      set(key, { GSI2PK: text(`SHELF#${random.pick(shelves)}`) }),
      set(key, { Board: text(random.pick(boards).sk) }),
    ]),
  ];
};

/** A pin goes to the shelf of the board that it names. */
const reshelve: Act = (scene) => {
  const key = pinKey(scene);
  const there = scene.now(key);
  const named = boards.find(({ sk }) => sk === textOf(there ?? {}, 'Board'));
  const shelf = named && textOf(scene.now(named) ?? {}, 'Shelf');
  return shelf === undefined ? [] : [set(key, { GSI2PK: text(`SHELF#${shelf}`) })];
};

const detach: Act = (scene) => [{ delete: pinKey(scene) }];

const remove: Act = (scene) => [{ delete: scene.random.pick(boards) }];

const age: Act = (scene) => [set(scene.random.pick(boards), { ExpiresAt: scene.expiry() })];

/** A pin may expire of itself. */
const agePin: Act = (scene) => [set(pinKey(scene), { ExpiresAt: scene.expiry() })];

const replace: Act = (scene) => {
  const key = scene.random.pick(boards);
  return scene.now(key) === undefined ? [] : [{ delete: key }, put(board(scene, key))];
};

export const boardActs: Acts = [
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
