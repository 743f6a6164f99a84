import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import config from '../../../denorm.config.ts';
import { computedSentence } from '../../../src/cli/explain/aggregate-roles.ts';
import { explainEvent, explainItem, type Subject } from '../../../src/cli/explain/explain-subjects.ts';
import { explanationJson } from '../../../src/cli/explain/explanation-json.ts';
import { explanationText } from '../../../src/cli/explain/explanation-text.ts';
import { PlannedWorker } from '../../../src/cli/explain/planned-worker.ts';
import { imagesTable } from '../../../src/develop/dev/dry-run/images-table.ts';
import { itemOf } from '../../../src/develop/testing/plain-values.ts';
import type { Aggregate } from '../../../src/model/aggregate.ts';
import type { Change } from '../../../src/model/change.ts';
import { type Item, keyIn } from '../../../src/model/item.ts';
import { makeRegistry, type Registry } from '../../../src/model/registry.ts';
import { whyComputed } from '../../../src/operate/reasons/computation-reasons.ts';
import { contenderTotals } from '../../../src/rules/contender-totals.ts';
import { table } from '../../../src/table.ts';
import { defaultSettings } from '../../../src/worker/ports.ts';
import { aContender, aHeadToHead } from '../../fixtures/rules/votes.ts';

const bear = itemOf(aContender('bear'));
const records = [
  itemOf(aHeadToHead('bear', 'books', 12, 2)),
  itemOf(aHeadToHead('c3po', 'bear', 7, 5)),
  itemOf(aHeadToHead('books', 'c3po', 7, 5)),
];
const [record = bear] = records;

function stageOf(items: readonly Item[], registry: Registry = config.registry()) {
  const port = imagesTable(table, items);
  const options = { registry, table: port, settings: defaultSettings, maxParts: Number.POSITIVE_INFINITY };
  const worker = new PlannedWorker(options);
  const printing = { registry, values: false, archiveSeen: false, tableSeen: true };
  return { port, stage: { registry, worker, archive: undefined }, printing };
}

async function explained(item: Item, items: readonly Item[], registry?: Registry) {
  const { port, stage, printing } = stageOf(items, registry);
  const explanation = await explainItem(stage, port, keyIn(table, item));
  return {
    text: explanationText(explanation, printing),
    json: JSON.parse(JSON.stringify(explanationJson(explanation, printing))),
  };
}

async function explainedChange(change: Partial<Change>, items: readonly Item[], registry?: Registry) {
  const { stage, printing } = stageOf(items, registry);
  const whole = changeOf(change);
  const subject: Subject = {
    ...{
      is: 'record',
      change: whole,
      kinds: [],
      contradiction: undefined,
      rules: [],
      whys: [],
      archives: [],
    },
    computed: whyComputed(stage.registry, whole),
  };
  return explanationText(await explainEvent(stage, [subject]), printing);
}

function changeOf(change: Partial<Change>): Change {
  const image = change.after ?? change.before ?? bear;
  const rest = { sequence: 1n, expired: false, at: undefined };
  return { key: keyIn(table, image), before: undefined, after: undefined, ...rest, ...change };
}

function only(aggregate: Aggregate): Registry {
  const { rules, archives } = config.registry();
  return makeRegistry(table, rules, archives, [], [aggregate]);
}

describe('denorm explain, of a target', () => {
  test('says where its members are, how many are read, what is written, and that the check reads them again', async () => {
    const { text } = await explained(bear, [bear, ...records]);

    expect(text).toMatch(/contender-totals +is its target: see the computation below/);
    expect(text).toContain(
      'contender-totals: computation of {"PK":"CONTENDER#bear","SK":"metadata"}, as it is now',
    );
    expect(text).toMatch(/where +the partition CONTENDER#bear, sort keys that begin with VS#/);
    expect(text).toMatch(/ +index GSI1, partition CONTENDER#bear, sort keys that begin with VS#/);
    expect(text).toMatch(/read +2 queries, 1\.5 RCU; 2 items, 2 RCU/);
    expect(text).toMatch(/members +2, read again as the check of the write/);
    expect(text).toMatch(/found +totals to be written/);
    expect(text).toMatch(
      /write +set Losses, Score, Wins, if it exists and Losses, Score, Type, Wins are as read/,
    );
  });

  test('shows the order of the chain: its check and the leaderboard key follow the totals', async () => {
    const { text, json } = await explained(bear, [bear, ...records]);

    expect(text).toMatch(
      /first +1 record: 1 propagation \(leaderboard-keys\), 1 computation \(contender-totals\), 1 write\n +then +1 record: nothing more to write/,
    );
    expect(json.comesBack[0].propagations.map(({ rule }: { rule: string }) => rule)).toEqual([
      'leaderboard-keys',
      'contender-totals',
    ]);
    expect(json.comesBack[0].propagations[1].parts[0]).toMatchObject({
      members: 2,
      cost: { readUnits: 3.5 },
    });
  });

  test('that is right is read once', async () => {
    const place = { GSI2PK: 'LEADERBOARD', GSI2SK: '1000000000008#bear' };
    const right = itemOf(aContender('bear', { Wins: 17, Losses: 9, Score: 8, ...place }));
    const { text, json } = await explained(right, [right, ...records]);

    expect(text).toMatch(/members +2\n/);
    expect(text).toMatch(/found +totals that are right/);
    expect(json.comesBack).toEqual([]);
  });

  test('with too many members, says what would be dead-lettered', async () => {
    const { text } = await explained(bear, [bear, ...records], only({ ...contenderTotals, limit: 1 }));

    expect(text).toMatch(/would dead-letter +target\.too-many-members: .* in two steps/);
  });
});

describe('denorm explain, of a member', () => {
  test('names its targets, computes each of them, and says which of them is missing', async () => {
    const { text, json } = await explained(record, [bear, ...records]);

    expect(text).toMatch(
      /contender-totals +is its member, and counts for \{"PK":"CONTENDER#bear","SK":"metadata"\} and \{"PK":"CONTENDER#books","SK":"metadata"\}: see the computations below/,
    );
    expect(text).toMatch(
      /computation of \{"PK":"CONTENDER#books","SK":"metadata"\}, as it is now\n +read .*\n +found +no target, and makes none/,
    );
    expect(json.subjects[0].rules).toContainEqual({
      ...{ rule: 'contender-totals', as: 'member', says: expect.stringContaining('counts for') },
      targets: [
        { PK: 'CONTENDER#bear', SK: 'metadata' },
        { PK: 'CONTENDER#books', SK: 'metadata' },
      ],
    });
  });

  test('reports a function that fails on it', async () => {
    const failing: Aggregate = {
      ...contenderTotals,
      targetsOf: () => {
        throw new Error('secret');
      },
    };
    const { text } = await explained(record, [bear, ...records], only(failing));

    expect(text).toMatch(/its targets cannot be told \(rule\.threw: .*\): its records are dead-lettered/);
    expect(text).not.toContain('secret');
  });
});

describe('denorm explain, of an event', () => {
  const before = itemOf(aHeadToHead('bear', 'books', 11, 2));

  test('computes both targets of a member, with the recheck of the index', async () => {
    const text = await explainedChange({ before, after: record }, [bear, ...records]);

    expect(text).toMatch(
      /contender-totals +matches: Contender1Wins differs between its images, so 2 targets are computed again/,
    );
    expect(text).toContain(
      'computation of {"PK":"CONTENDER#bear","SK":"metadata"}, because a member changed',
    );
    expect(text).toMatch(/queue +recheck in 60 s, 1 message: reads the members again, 0 writes/);
  });

  test('says that a computation waits for the end of a period', async () => {
    const text = await explainedChange(
      { before, after: record },
      [bear, ...records],
      only({ ...contenderTotals, every: 30 }),
    );

    expect(text).toMatch(/when +at the end of the target's period of 30 s, through the queue/);
    expect(text).toMatch(/contender-totals, at the end of a period +│/);
  });

  test('says how many members were skipped', async () => {
    const skipping = only({ ...contenderTotals, invalid: 'skip' });
    const invalid = itemOf(aHeadToHead('bear', 'zed', 1, 2));
    const { text } = await explained(
      bear,
      [bear, ...records, { ...invalid, Contender1Wins: { S: '5' } }],
      skipping,
    );

    expect(text).toMatch(/members +3, of which 1 skipped as invalid/);
  });

  test('counts a member for an index that does not show its new keys yet', async () => {
    const { GSI1PK: _, GSI1SK: __, ...bare } = record;
    const books = itemOf(aContender('books'));
    const text = await explainedChange({ after: bare }, [bear, books, bare]);

    expect(text).toMatch(
      /first +3 records: 2 propagations \(leaderboard-keys\), 2 computations \(contender-totals\), 2 writes\n +then +2 records: nothing more/,
    );
  });
});

test('docs/aggregates.md shows what is printed', async () => {
  const { text } = await explained(bear, [bear, ...records]);
  const page = readFileSync(new URL('../../../docs/aggregates.md', import.meta.url), 'utf8');
  const [, shown = ''] = /```\n(contender-totals: computation[^`]*)```/.exec(page) ?? [];

  expect(shown).not.toBe('');
  for (const part of shown.trim().split('\n\n')) expect(stripVTControlCharacters(text)).toContain(part);
});

describe('an aggregate says of a change', () => {
  const registry = config.registry();
  const after = itemOf(aHeadToHead('bear', 'c3po', 12, 2));
  test.each<readonly [string, Partial<Change>, RegExp]>([
    ['that a member is new', { after }, /^matches: it is a new member, so 2 targets are computed again$/],
    ['that a member was removed', { before: after }, /^matches: the member was removed, so 2 targets/],
    [
      'that nothing differs',
      { before: after, after },
      /^does not match: no attribute differs that the aggregate reads/,
    ],
    ['that a target is new', { after: bear }, /^checks it: it is a new target$/],
    ['that a target was removed', { before: bear }, /^does not match: the target was removed/],
    [
      'that a total was written',
      { before: bear, after: itemOf(aContender('bear', { Wins: 9 })) },
      /^checks it: Wins differs/,
    ],
    [
      'that an item is no longer a target',
      { before: bear, after: { ...bear, Type: { S: 'Other' } } },
      /^does not match: it is no longer a target$/,
    ],
  ])('%s', (_, change, says) => {
    const [why] = whyComputed(registry, changeOf(change));

    expect(why && computedSentence(why)).toMatch(says);
  });
});
