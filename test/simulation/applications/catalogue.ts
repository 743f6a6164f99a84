import {
  type Act,
  type Acts,
  drop,
  put,
  type Scene,
  set,
  text,
} from '../../../src/develop/testing/simulation/scene.ts';
import type { Write } from '../../../src/develop/testing/simulation/world/step.ts';
import { type Item, type ItemKey, keyText } from '../../../src/model/item.ts';
import { pkOf, skOf } from '../oracle/attributes.ts';
import { catalogueRelations } from '../oracle/catalogue-relations.ts';

const posts = ['1', '2', '3'];
const tags = ['a', 'b', 'c', 'd'];
const members = ['x', 'y', 'z'];
const emails = ['ann@home', 'bob@home'];

function postKey(scene: Scene): ItemKey {
  return { pk: `POST#${scene.random.pick(posts)}`, sk: 'POST' };
}

function memberKey(scene: Scene): ItemKey {
  return { pk: `MEMBER#${scene.random.pick(members)}`, sk: 'MEMBER' };
}

function list(some: readonly string[]): Item {
  return { Tags: { L: some.map(text) } };
}

function someTags(scene: Scene): Item {
  return list(scene.random.some(tags, 0.5));
}

function post(scene: Scene, { pk, sk }: ItemKey): Item {
  return { PK: text(pk), SK: text(sk), Type: text('Post'), Title: text(scene.fresh()), ...someTags(scene) };
}

function member(scene: Scene, { pk, sk }: ItemKey): Item {
  return {
    ...{ PK: text(pk), SK: text(sk), Type: text('Member') },
    ...{ Name: text(scene.fresh()), Email: text(scene.random.pick(emails)) },
  };
}

function copies(scene: Scene): readonly ItemKey[] {
  return scene.world.table
    .items()
    .filter((item) => catalogueRelations.some(({ isCopy }) => isCopy(item)))
    .map((item) => ({ pk: pkOf(item), sk: skOf(item) }));
}

const publish: Act = (scene) => [put(post(scene, postKey(scene)))];

/** Tags come, go, and change places; or the list is emptied. */
const retag: Act = (scene) => [
  set(postKey(scene), {
    ...(scene.random.chance(0.15) ? list([]) : someTags(scene)),
    ...(scene.random.chance(0.3) && { Title: text(scene.fresh()) }),
  }),
];

const retitle: Act = (scene) => [set(postKey(scene), { Title: text(scene.fresh()) })];

/** Twice at once: the records come in one batch, or late, or twice. */
const retagTwice: Act = (scene) => {
  const key = postKey(scene);
  return [set(key, someTags(scene)), set(key, someTags(scene))];
};

/** More tags than a root may have: its copies stay where they are. */
const sprawl: Act = (scene) => [
  set(postKey(scene), list(Array.from({ length: 101 }, (_, index) => `many${index}`))),
];

const untag: Act = (scene) => [drop(postKey(scene), 'Tags')];
const hide: Act = (scene) => [set(postKey(scene), { Hidden: { BOOL: true } })];
const show: Act = (scene) => [drop(postKey(scene), 'Hidden')];
const withdraw: Act = (scene) => [{ delete: postKey(scene) }];
const age: Act = (scene) => [
  set(scene.random.chance(0.7) ? postKey(scene) : memberKey(scene), { ExpiresAt: scene.expiry() }),
];

const replace: Act = (scene) => {
  const key = postKey(scene);
  return scene.now(key) === undefined ? [] : [{ delete: key }, put(post(scene, key))];
};

const join: Act = (scene) => [put(member(scene, memberKey(scene)))];
const move: Act = (scene) => [set(memberKey(scene), { Email: text(scene.random.pick(emails)) })];
const rename: Act = (scene) => [set(memberKey(scene), { Name: text(scene.fresh()) })];
const leave: Act = (scene) => [{ delete: memberKey(scene) }];

/** Somebody deletes a copy: it comes back. */
const tear: Act = (scene) => {
  const there = copies(scene);
  return there.length === 0 ? [] : [{ delete: scene.random.pick(there) }];
};

/** A copy and its root go, one after the other: it does not come back. */
const tearAndWithdraw: Act = (scene) => {
  const key = postKey(scene);
  const [copy] = copies(scene).filter(({ sk }) => sk === key.pk);
  if (copy === undefined) return [];
  const both: Write[] = [{ delete: copy }, { delete: key }];
  return scene.random.chance(0.5) ? both : both.reverse();
};

const scribble: Act = (scene) => {
  const there = copies(scene);
  if (there.length === 0) return [];
  const key = scene.random.pick(there);
  const name = key.sk === 'ADDRESS' ? 'Name' : scene.random.pick(['Title', 'Tag']);
  return [
    scene.random.pick([
      set(key, { [name]: text(scene.fresh()) }),
      set(key, { Pinned: text(scene.fresh()) }),
      drop(key, name),
    ]),
  ];
};

/** Another item takes a free key, and leaves it. */
const squat: Act = (scene) => {
  const pk = `TAG#${scene.random.pick(tags)}`;
  const key = { pk, sk: `POST#${scene.random.pick(posts)}` };
  const there = scene.now(key);
  if (there === undefined) return [put({ PK: text(pk), SK: text(key.sk), Type: text('Note') })];
  return there.Type !== undefined && 'S' in there.Type && there.Type.S === 'Note' ? [{ delete: key }] : [];
};

export const catalogueActs: Acts = [
  [3, publish],
  [6, retag],
  [2, retitle],
  [2, retagTwice],
  [0.25, sprawl],
  [0.15, untag],
  [0.6, hide],
  [1.2, show],
  [1, withdraw],
  [0.6, replace],
  [0.6, age],
  [1.5, join],
  [2, move],
  [0.7, rename],
  [0.6, leave],
  [1.5, tear],
  [0.6, tearAndWithdraw],
  [1, scribble],
  [0.3, squat],
];

/** What happens to the root of a copy that the worker is about to put or to remove, or at its key. */
export function meddleWithKeys(scene: Scene): readonly Write[] {
  const { random, world } = scene;
  const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const wanted = new Set(pending.flatMap((line) => /^(?:create|remove) (\[.*\])$/.exec(line)?.[1] ?? []));
  const [key] = posts
    .flatMap((one) => tags.map((tag) => ({ pk: `TAG#${tag}`, sk: `POST#${one}` })))
    .filter((one) => wanted.has(keyText(one)));
  if (key === undefined) return [];
  const root = { pk: key.sk, sk: 'POST' };
  const there = scene.now(root);
  if (there === undefined) return [put(post(scene, root))];
  return random.pick<readonly Write[]>([
    [{ delete: root }],
    [{ delete: root }],
    [set(root, someTags(scene))],
    [set(root, { Title: text(scene.fresh()) })],
    scene.now(key) === undefined
      ? [put({ PK: text(key.pk), SK: text(key.sk), Type: text('Note') }), { delete: key }]
      : [{ delete: key }],
  ]);
}
