import type { TotalsRelation } from '../../../src/develop/testing/simulation/oracle/totals-relation.ts';
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
import { sameValue } from '../../../src/develop/testing/table-model/same-value.ts';
import { type Item, type ItemKey, keyIn, keyText } from '../../../src/model/item.ts';

const names = ['ann', 'bob', 'cy'];
const houses = ['red', 'blue'];

function contenderKey(scene: Scene): ItemKey {
  return { pk: `CONTENDER#${scene.random.pick(names)}`, sk: 'metadata' };
}

function boutKey(scene: Scene): ItemKey {
  return { pk: `CONTENDER#${scene.random.pick(names)}`, sk: `VS#${scene.random.pick(names)}` };
}

function houseKey(scene: Scene): ItemKey {
  return { pk: `HOUSE#${scene.random.pick(houses)}`, sk: 'totals' };
}

/** One of two values: a slow computation goes wrong only where a total comes back to what it was. */
function whole(scene: Scene) {
  return { N: scene.random.pick(['1', '4']) };
}

function contender(scene: Scene, { pk, sk }: ItemKey): Write {
  const seen = scene.random.chance(0.3) ? scene.seen({ pk, sk }) : undefined;
  return put(
    seen ?? {
      PK: text(pk),
      SK: text(sk),
      Type: text('Contender'),
      Name: text(pk.slice('CONTENDER#'.length)),
      House: text(scene.random.pick(houses)),
    },
  );
}

function bout(scene: Scene, { pk, sk }: ItemKey): Write {
  return put({
    PK: text(pk),
    SK: text(sk),
    Type: text('Bout'),
    Contender1: text(pk.slice('CONTENDER#'.length)),
    Contender2: text(sk.slice('VS#'.length)),
    Contender1Wins: whole(scene),
    Contender2Wins: whole(scene),
    Stake: { N: scene.random.pick(['0.1', '0.2']) },
    At: text(`2026-03-0${scene.random.int(1, 9)}`),
  });
}

const open: Act = (scene) => [
  ...names.map((name) => contender(scene, { pk: `CONTENDER#${name}`, sk: 'metadata' })),
  ...houses.map((name) => house({ pk: `HOUSE#${name}`, sk: 'totals' })),
  bout(scene, boutKey(scene)),
  bout(scene, boutKey(scene)),
];

function house({ pk, sk }: ItemKey): Write {
  return put({ PK: text(pk), SK: text(sk), Type: text('House') });
}

const enrol: Act = (scene) => [contender(scene, contenderKey(scene))];
const meet: Act = (scene) => [bout(scene, boutKey(scene))];

function someBout(scene: Scene): ItemKey | undefined {
  const keys = names.flatMap((pk) => names.map((sk) => ({ pk: `CONTENDER#${pk}`, sk: `VS#${sk}` })));
  const there = keys.filter((key) => scene.now(key) !== undefined);
  return there.length === 0 ? undefined : scene.random.pick(there);
}

const vote: Act = (scene) => {
  const key = someBout(scene);
  if (key === undefined) return [];
  const name = scene.random.pick(['Contender1Wins', 'Contender2Wins']);
  return [set(key, { [name]: whole(scene) })];
};

const rematch: Act = (scene) => {
  const key = someBout(scene);
  const side = scene.random.pick(['Contender1', 'Contender2']);
  if (key === undefined) return [];
  const is = scene.now(key)?.[side];
  const others = names.filter((name) => is === undefined || !('S' in is) || is.S !== name);
  return [set(key, { [side]: text(scene.random.pick(others)) })];
};

const stake: Act = (scene) => {
  const key = someBout(scene);
  if (key === undefined) return [];
  if (scene.random.chance(0.3)) return [drop(key, 'Stake')];
  return [set(key, { Stake: { N: scene.random.pick(['0.1', '0.2']) } })];
};

const annul: Act = (scene) => {
  const key = someBout(scene);
  return key === undefined ? [] : [{ delete: key }];
};

const forget: Act = (scene) => {
  const key = someBout(scene);
  return key === undefined ? [] : [set(key, { ExpiresAt: scene.expiry() })];
};

/** What is read of a target changes: bouts from then on are recent. */
const qualify: Act = (scene) => {
  const key = contenderKey(scene);
  if (scene.now(key) === undefined) return [];
  if (scene.random.chance(0.3)) return [drop(key, 'From')];
  return [set(key, { From: text(`2026-03-0${scene.random.int(1, 9)}`) })];
};

/** An item under the key of a target that is a target no more. */
const leave: Act = (scene) => [set(contenderKey(scene), { Type: text('Former') })];

const retire: Act = (scene) => [{ delete: contenderKey(scene) }];

const rehouse: Act = (scene) => {
  const key = contenderKey(scene);
  return scene.now(key) === undefined ? [] : [set(key, { House: text(scene.random.pick(houses)) })];
};

/** Somebody writes totals by hand. */
const tamper: Act = (scene) =>
  tampered(scene, scene.random.chance(0.8) ? contenderKey(scene) : houseKey(scene));

function tampered(scene: Scene, key: ItemKey): readonly Write[] {
  const there = scene.now(key);
  if (there === undefined) return [];
  const name = scene.random.pick(
    key.sk === 'totals' ? ['Contenders', 'Score', 'Best'] : ['Wins', 'Score', 'Bouts', 'Stakes', 'Recent'],
  );
  // What was there some time ago is what a slow computation has read.
  const then = scene.random.chance(0.5) ? scene.seen(key)?.[name] : undefined;
  return [scene.random.chance(0.2) ? drop(key, name) : set(key, { [name]: then ?? whole(scene) })];
}

const found: Act = (scene) => [house(houseKey(scene))];

export const tournamentActs: Acts = [
  [0.1, open],
  [0.4, enrol],
  [2, meet],
  [9, vote],
  [4, rematch],
  [6, stake],
  [3, annul],
  [0.7, forget],
  [0.3, retire],
  [0.3, leave],
  [2, qualify],
  [0.7, rehouse],
  [1.5, tamper],
  [0.2, found],
];

/** Every small change to a bout: a vote, another stake, another contender, its end. */
function smallChanges(scene: Scene): readonly Write[] {
  return names.flatMap((home) =>
    names.flatMap((rival): Write[] => {
      const key = { pk: `CONTENDER#${home}`, sk: `VS#${rival}` };
      const there = scene.now(key);
      if (there === undefined) return [];
      const other = (name: string, one: string, two: string) => {
        const value = there[name];
        return { N: value !== undefined && 'N' in value && value.N === one ? two : one };
      };
      return [
        set(key, { Contender1Wins: other('Contender1Wins', '1', '4') }),
        set(key, { Contender2Wins: other('Contender2Wins', '1', '4') }),
        set(key, { Stake: other('Stake', '0.1', '0.2') }),
        set(key, { Contender1: text(home) }),
        { delete: key },
      ];
    }),
  );
}

/** The items as they are after the write of an item that is there. */
function after(scene: Scene, items: readonly Item[], write: Write): readonly Item[] {
  const key = 'update' in write ? write.update : 'delete' in write ? write.delete : undefined;
  const { names } = scene.world.table;
  return items.flatMap((item) => {
    if (key === undefined || keyText(keyIn(names, item)) !== keyText(key)) return [item];
    return 'update' in write ? [{ ...item, ...write.set }] : [];
  });
}

/**
 * A change of a member after which the totals are those that the target has: a fast computation has nothing to write then,
 * and a slow one goes on with what it has read.
 */
function compensate(scene: Scene, target: ItemKey, totals: readonly TotalsRelation[]): readonly Write[] {
  const items = scene.world.table.items();
  const changes = smallChanges(scene);
  const there = scene.now(target);
  if (there === undefined || changes.length === 0) return [];
  const wrong = (some: readonly Item[], relation: TotalsRelation) =>
    [...(relation.wanted(there, some) ?? [])].some(([name, value]) => !sameValue(there[name], value));
  const relations = totals.filter((one) => one.isTarget(there) && wrong(items, one));
  const fitting = changes.filter((change) => {
    const then = after(scene, items, change);
    return relations.some((relation) => !wrong(then, relation));
  });
  return [scene.random.pick(fitting.length > 0 ? fitting : changes)];
}

/** What happens to a target that the worker is about to write: it goes, or is written by somebody else. */
export function meddleWithTargets(scene: Scene, totals: readonly TotalsRelation[]): readonly Write[] {
  const { random, world } = scene;
  const pending = world.deliveries.flatMap(({ invocation }) => invocation.pending.map((one) => one.text));
  const keys = pending.flatMap((line) => /^update (\[.*\])$/.exec(line)?.[1] ?? []);
  if (keys.length === 0) return [];
  const chosen = random.pick(keys);
  const targets = [
    ...names.map((name) => ({ pk: `CONTENDER#${name}`, sk: 'metadata' })),
    ...houses.map((name) => ({ pk: `HOUSE#${name}`, sk: 'totals' })),
  ];
  const target = targets.find((key) => keyText(key) === chosen);
  if (target === undefined) return [];
  if (random.chance(0.7)) return compensate(scene, target, totals);
  return random.chance(0.2) ? [{ delete: target }] : tampered(scene, target);
}
