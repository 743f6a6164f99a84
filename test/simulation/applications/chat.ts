import {
  type Act,
  type Acts,
  drop,
  put,
  type Scene,
  set,
  text,
} from '../../../src/develop/testing/simulation/scene.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';

const users = ['1', '2', '§/..'];
const servers = ['a', 'b', 'c', 'd', 'e', 'f'];

function userKey({ random }: Scene): ItemKey {
  return { pk: `USER#${random.pick(users)}`, sk: '#METADATA' };
}

function membershipKey({ random, world }: Scene): ItemKey {
  const key = { pk: `SERVER#${random.pick(servers)}`, sk: `USER#${random.pick(users)}` };
  if (world.table.read(key) !== undefined || random.chance(0.3)) return key;
  const there = world.table.partition(key.pk, 'USER#')[0]?.SK;
  return there && 'S' in there ? { pk: key.pk, sk: there.S } : key;
}

function user(scene: Scene, key: ItemKey): Item {
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('User'),
    userId: text(key.pk.slice('USER#'.length)),
    username: text(scene.fresh()),
    email: text('e@example.com'),
  };
}

function membership(key: ItemKey, username: Item[string] | undefined): Item {
  const userId = key.sk.slice('USER#'.length);
  return {
    PK: text(key.pk),
    SK: text(key.sk),
    Type: text('Membership'),
    serverId: text(key.pk.slice('SERVER#'.length)),
    userId: text(userId),
    role: text('Member'),
    GSI1PK: text(`USER#${userId}`),
    GSI1SK: text(key.pk),
    ...(username && { username }),
  };
}

const signUp: Act = (scene) => {
  const key = userKey(scene);
  const made = user(scene, key);
  const joined = scene.random.some(servers, 0.5);
  return [
    put(made),
    ...joined.map((server) => put(membership({ pk: `SERVER#${server}`, sk: key.pk }, made.username))),
  ];
};

const rename: Act = (scene) => [set(userKey(scene), { username: text(scene.fresh()) })];

const changeElse: Act = (scene) => [set(userKey(scene), { email: text(scene.fresh()) })];

const loseName: Act = (scene) => [drop(userKey(scene), 'username')];

/** A membership written with the name that its user had when the application looked. */
const join: Act = (scene) => {
  const key = membershipKey(scene);
  return [put(membership(key, scene.seen({ pk: key.sk, sk: '#METADATA' })?.username))];
};

const scribble: Act = (scene) => {
  const key = membershipKey(scene);
  return [
    scene.random.pick([
      set(key, { username: text(scene.fresh()) }),
      set(key, { username: scene.freshValue() }),
      drop(key, 'username'),
      set(key, { role: text(scene.fresh()) }),
    ]),
  ];
};

/** A membership says of itself that it is something else while its user renames, or is one again. */
const recast: Act = (scene) => {
  const key = membershipKey(scene);
  const there = scene.now(key)?.Type;
  const isOther = there !== undefined && 'S' in there && there.S !== 'Membership';
  if (isOther) return [set(key, { Type: text('Membership') })];
  const user = { pk: key.sk, sk: '#METADATA' };
  return [set(key, { Type: text('Invitation') }), set(user, { username: text(scene.fresh()) })];
};

/** A membership that names another user than its index key does, or stands on no index, and back. */
const repoint: Act = (scene) => {
  const key = membershipKey(scene);
  const userId = scene.random.pick(users);
  return [
    scene.random.pick([
      set(key, { userId: text(userId) }),
      set(key, { GSI1PK: text(`USER#${userId}`) }),
      set(key, { userId: text(userId), GSI1PK: text(`USER#${userId}`) }),
      set(key, { userId: text(key.sk.slice('USER#'.length)), GSI1PK: text(key.sk), GSI1SK: text(key.pk) }),
      drop(key, 'GSI1PK', 'GSI1SK'),
    ]),
  ];
};

const leave: Act = (scene) => [{ delete: membershipKey(scene) }];

const signOff: Act = (scene) => [{ delete: userKey(scene) }];

const replace: Act = (scene) => {
  const key = userKey(scene);
  return scene.now(key) === undefined ? [] : [{ delete: key }, put(user(scene, key))];
};

const renameServer: Act = (scene) => {
  const pk = `SERVER#${scene.random.pick(servers)}`;
  return [put({ PK: text(pk), SK: text('#METADATA'), Type: text('Server'), name: text(scene.fresh()) })];
};

export const chatActs: Acts = [
  [3, signUp],
  [8, rename],
  [0.5, changeElse],
  [0.5, loseName],
  [5, join],
  [3, scribble],
  [2, repoint],
  [1.5, recast],
  [1.5, leave],
  [0.7, signOff],
  [0.7, replace],
  [0.3, renameServer],
];
