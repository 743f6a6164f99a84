import {
  type Act,
  type Acts,
  put,
  type Scene,
  set,
  text,
} from '../../../src/develop/testing/simulation/scene.ts';
import type { AttributeValue } from '../../../src/model/attribute-value.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';

const frequent: ItemKey = { pk: 'SECRET#1', sk: '../b' };
const seldom: ItemKey = { pk: 'SECRET#1', sk: 'a' };
const receipts: readonly ItemKey[] = ['1', '2', '3/4'].map((sk) => ({ pk: 'RECEIPT#1', sk }));

const note: ItemKey = { pk: 'NOTE#1', sk: 'n' };

/** One of them most of the time. */
function some({ random }: Scene): ItemKey {
  return random.chance(0.8) ? frequent : seldom;
}

function secret(scene: Scene, { pk, sk }: ItemKey): Item {
  return { PK: text(pk), SK: text(sk), Value: text(scene.fresh()), ExpiresAt: soon(scene) };
}

/** In epoch seconds: it may be due at once. */
function soon({ random, world }: Scene): AttributeValue {
  return { N: String(world.clock.seconds() + random.int(-5, 5)) };
}

const hide: Act = (scene) => [put(secret(scene, some(scene)))];

const change: Act = (scene) => [set(some(scene), { Value: text(scene.fresh()) })];

const extend: Act = (scene) => [set(some(scene), { ExpiresAt: soon(scene) })];

const forget: Act = (scene) => [{ delete: some(scene) }];

/** Forgotten, and there again at once: another life under the same key. */
const renew: Act = (scene) => {
  const key = some(scene);
  return [{ delete: key }, put(secret(scene, key))];
};

const issue: Act = (scene) => [put(secret(scene, scene.random.pick(receipts)))];

const amend: Act = (scene) => [set(scene.random.pick(receipts), { Value: text(scene.fresh()) })];

const cancel: Act = (scene) => [{ delete: scene.random.pick(receipts) }];

const jot: Act = (scene) => [put({ ...secret(scene, note), Draft: { BOOL: scene.random.chance(0.5) } })];

const publish: Act = ({ random }) => [set(note, { Draft: { BOOL: random.chance(0.5) } })];

const revise: Act = (scene) => [set(note, { Value: text(scene.fresh()), ExpiresAt: soon(scene) })];

/** What expires soon, again and again under few keys, and is now and then deleted before. */
export const vaultActs: Acts = [
  [4, hide],
  [3, change],
  [2, extend],
  [1.2, forget],
  [0.4, renew],
  [2, issue],
  [1, amend],
  [0.2, cancel],
  [1, jot],
  [1, publish],
  [0.6, revise],
];
