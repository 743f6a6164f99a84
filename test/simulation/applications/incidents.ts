import {
  type Act,
  type Acts,
  copied,
  drop,
  put,
  type Scene,
  set,
  text,
  without,
} from '../../../src/develop/testing/simulation/scene.ts';
import type { Item, ItemKey } from '../../../src/model/item.ts';
import { isContent } from '../oracle/attributes.ts';

const accounts = ['1', '2'];
const incidents = ['a', 'b'];
const participants = ['team_Z', 'team_Y', 'user_W', 'user_V', '..', 'é§/#'];

interface Incident {
  readonly root: ItemKey;
  readonly details: ItemKey;
  readonly partition: string;
  readonly account: string;
}

function some({ random }: Scene): Incident {
  const account = random.pick(accounts);
  const incident = random.pick(incidents);
  const stem = `acct_${account}#inc_${incident}`;
  return {
    root: { pk: `acct_${account}#inc`, sk: `inc_${incident}` },
    details: { pk: stem, sk: 'data' },
    partition: `${stem}#incpart`,
    account,
  };
}

function participantOf(scene: Scene, { partition }: Incident): ItemKey {
  const there = scene.world.table.partition(partition).map(({ SK }) => (SK && 'S' in SK ? SK.S : ''));
  const sk = scene.random.pick(there.length > 0 && scene.random.chance(0.7) ? there : participants);
  return { pk: partition, sk };
}

function participation(scene: Scene, key: ItemKey, { account }: Incident, incident: Item): Item {
  const { CreatedAt, State } = incident;
  const state = State && 'S' in State ? State.S : 'OPEN';
  const seconds = CreatedAt && 'N' in CreatedAt ? Number(CreatedAt.N) : 0;
  const content = Object.entries(incident).filter(([name]) => isContent(name));
  return {
    ...copied(scene, content),
    PK: text(key.pk),
    SK: text(key.sk),
    ParticipantID: text(key.sk),
    GSI1PK: text(`acct_${account}#${key.sk}#incpart`),
    GSI1SK: text(`${state}#${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`),
  };
}

const open: Act = (scene) => {
  const incident = some(scene);
  const { root, details } = incident;
  const item = {
    PK: text(root.pk),
    SK: text(root.sk),
    ID: text(root.sk),
    Title: text(scene.fresh()),
    Status: text('TRIGGERED'),
    State: text(scene.random.pick(['OPEN', 'OPEN', 'CLOSED'])),
    Number: scene.freshNumber(),
    CreatedAt: { N: String(1_614_194_921 + scene.random.int(0, 2)) },
    UpdatedAt: { N: String(scene.world.clock.now) },
  };
  const copies = scene.random
    .some(participants, 0.5)
    .map((sk) => put(participation(scene, { pk: incident.partition, sk }, incident, item)));
  const data = put({ PK: text(details.pk), SK: text(details.sk), AccountID: text('x'), Details: text('{}') });
  return [put(item), ...copies, ...(scene.random.chance(0.3) ? [data] : [])];
};

const change: Act = (scene) => {
  const { root } = some(scene);
  const { random } = scene;
  const UpdatedAt = { N: String(scene.world.clock.now) };
  const state = random.pick(['OPEN', 'CLOSED', 'CLOSED', 'MUTED']);
  return random.pick([
    [set(root, { Title: text(scene.fresh()), UpdatedAt })],
    [
      set(root, {
        Title: text(scene.fresh()),
        Status: text(scene.fresh()),
        Number: scene.freshNumber(),
        UpdatedAt,
      }),
    ],
    [set(root, { State: text(state), UpdatedAt })],
    [set(root, { Severity: scene.freshValue() })],
    [set(root, { Severity: scene.freshValue(), Region: scene.freshValue(), Title: text(scene.fresh()) })],
    [drop(root, random.pick(['Severity', 'Region', 'Number']))],
    [set(root, { CreatedAt: { N: String(1_614_194_921 + random.int(0, 2)) } })],
  ]);
};

const nudge: Act = (scene) => scene.nudge(some(scene).root, ['Severity', 'Region', 'Number']);

/** An incident that says nothing usable of its state or its time. */
const spoil: Act = (scene) => {
  const { root } = some(scene);
  return [
    scene.random.pick([
      drop(root, 'State'),
      set(root, { CreatedAt: text('yesterday') }),
      set(root, { State: text('') }),
    ]),
  ];
};

const repair: Act = (scene) => {
  const { root } = some(scene);
  return [set(root, { State: text('OPEN'), CreatedAt: { N: '1614194921' } })];
};

const join: Act = (scene) => {
  const incident = some(scene);
  const seen = scene.seen(incident.root);
  if (seen === undefined) return [];
  return [put(participation(scene, participantOf(scene, incident), incident, seen))];
};

const scribble: Act = (scene) => {
  const copy = participantOf(scene, some(scene));
  const attribute = scene.random.pick(['Title', 'Status', 'Severity', 'GSI1SK', 'Scrawl', 'ParticipantID']);
  const value = attribute === 'GSI1SK' ? text(scene.fresh()) : scene.freshValue();
  return [scene.random.chance(0.6) ? set(copy, { [attribute]: value }) : drop(copy, attribute)];
};

const leave: Act = (scene) => [{ delete: participantOf(scene, some(scene)) }];

const remove: Act = (scene) => [{ delete: some(scene).root }];

/** Gone and there again before anyone looks. */
const replace: Act = (scene) => {
  const { root } = some(scene);
  const there = scene.now(root);
  if (there === undefined) return [];
  return [{ delete: root }, put({ ...without(there, ['Severity']), Title: text(scene.fresh()) })];
};

const age: Act = (scene) => {
  const { root, details } = some(scene);
  const ExpiresAt = scene.expiry();
  return scene.random.pick([
    [set(root, { ExpiresAt })],
    [set(root, { ExpiresAt }), set(details, { ExpiresAt })],
  ]);
};

const rejuvenate: Act = (scene) => [drop(some(scene).root, 'ExpiresAt')];

const document: Act = (scene) => [set(some(scene).details, { Details: text(scene.fresh()) })];

export const incidentActs: Acts = [
  [4, open],
  [8, change],
  [3, nudge],
  [1, spoil],
  [1.5, repair],
  [4, join],
  [4, scribble],
  [1.5, leave],
  [1.5, remove],
  [1, replace],
  [2, age],
  [0.5, rejuvenate],
  [0.5, document],
];
