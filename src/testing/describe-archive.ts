import { fail } from 'node:assert/strict';
import { withArticle } from '../model/basics/text.ts';
import { type Item, keyIn, keyText } from '../model/items/item.ts';
import { isOfKind } from '../model/kinds/kind.ts';
import type { BoundArchiveRule } from '../model/rules/bound-rule.ts';
import type { Config } from '../model/rules/config.ts';
import type { Registry } from '../model/rules/registry.ts';
import { listItems, readState } from '../operate/archive/read-states.ts';
import { whenHolds } from '../worker/archive/decision.ts';
import { ages, classifyAge } from '../worker/archive/sweep/aging.ts';
import { differences, keyJson, named, runner, type TestRunner } from './conformance.ts';
import { itemOf, type PlainAttributes } from './plain-values.ts';
import { modelArchiveReader } from './table-model/model-archive.ts';
import { ModelWorker } from './table-model/model-worker.ts';

/** What an archive rule is tested with. */
export interface ArchiveExample {
  /** An item of a kind that the rule archives, without the TTL attribute. */
  readonly item: PlainAttributes;
  /** Items that the rule must not archive, even if they expire. Default: none. */
  readonly others?: readonly PlainAttributes[];
  /** Of a rule with `ages`: a time at which the item is finished for long enough that a sweep lets it expire. Default: not tested. */
  readonly aged?: Date;
  /** Of a rule with `ages`: a time at which it is not. Default: not tested. */
  readonly young?: Date;
  /** Values of the config's parameters. Default: those of their schemas. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

type Body = (archive: {
  readonly registry: Registry;
  readonly rule: BoundArchiveRule;
  readonly item: Item;
  readonly expiring: Item;
}) => Promise<void>;

/**
 * Describes what every archive rule does, for one of a project, on a model of the table and of the bucket.
 * @throws DenormError `rule.unknown` if the config has no such archive rule
 */
export function describeArchive(
  config: Config,
  name: string,
  { item: plain, others = [], aged, young, parameters = {} }: ArchiveExample,
  { describe, test }: TestRunner = runner,
): void {
  const registry = config.registry({ parameters });
  const rule = named('an archive rule', registry.archives, name);
  const item = itemOf(plain);
  const expiring = { ...item, [registry.table.ttl]: { N: '1' } };
  const tested = (title: string, body: Body): unknown =>
    test(title, () => body({ registry, rule, item, expiring }));
  describe(`${name}, as every archive rule,`, () => {
    tested('has an example that fits it', async () => requireFit(registry, rule, item));
    for (const [title, body] of promises) tested(title, body);
    for (const [index, other] of others.entries())
      tested(`does not archive others[${index}]`, async () => {
        const worker = await archived(registry, { ...itemOf(other), [registry.table.ttl]: { N: '1' } });
        const kinds = worker.archive.keys().map((key) => key.split('/')[1]);
        if (rule.kinds.some((kind) => kinds.includes(encodeURIComponent(kind.name))))
          fail(`Expected others[${index}] not to be archived by ${name}, found it in the archive`);
      });
    if (aged !== undefined) tested('lets the item expire when it has aged', ageing('aged', aged));
    if (young !== undefined) tested('leaves the item alone while it is young', ageing('young', young));
  });
}

const promises: readonly (readonly [title: string, body: Body])[] = [
  [
    'archives an item that is going to expire, attribute for attribute',
    async ({ registry, expiring }) => {
      const worker = await archived(registry, expiring);
      const states = await statesOf(worker, expiring);
      if (states.length !== 1) fail(`Expected 1 archived state of the item, found ${states.length}`);
      expectSame(worker, states[0], expiring);
    },
  ],
  [
    'follows onDelete when the item is deleted',
    async ({ registry, rule, expiring }) => {
      const worker = await archived(registry, expiring, 'delete');
      const states = await statesOf(worker, expiring);
      if (rule.onDelete === 'erase' && states.length > 0)
        fail(`Expected a deletion to erase the item from the archive, found ${states.length} states`);
      if (rule.onDelete !== 'erase') expectSame(worker, states.at(-1), expiring);
    },
  ],
];

function ageing(expected: 'aged' | 'young', at: Date): Body {
  return async ({ rule, item }) => {
    // A test in JavaScript may give a text.
    if (!(at instanceof Date) || Number.isNaN(at.getTime()))
      fail(
        `Expected ${expected} to be a Date, such as new Date('2026-11-01'), found ${at instanceof Date ? 'an invalid one' : typeof at}`,
      );
    if (!ages(rule))
      fail(
        `Expected ${expected} only for a rule with ages, and ${rule.name} has none: leave ${expected} out, or add ages`,
      );
    const age = classifyAge(rule, item, at.getTime());
    const reason = age.is === 'unclassified' ? `: ${age.reason}` : '';
    if (age.is !== expected)
      fail(`Expected the item to be ${expected} at ${at.toISOString()}, found it ${age.is}${reason}`);
  };
}

function requireFit({ table }: Registry, rule: BoundArchiveRule, item: Item): void {
  const kind = rule.kinds.find((one) => isOfKind(one, item));
  if (kind !== undefined && whenHolds(rule, kind, item)) return;
  if (kind !== undefined)
    fail(`Expected item to be one for which when of ${rule.name} is true, found false: correct the example`);
  const kinds = rule.kinds.map(({ name }) => withArticle(name)).join(' or ');
  fail(`Expected item to be ${kinds}, found the key ${keyJson(table, item)}: correct the example`);
}

/** Puts the item, deletes it if asked to, and archives what the stream says of it. */
async function archived(registry: Registry, item: Item, end?: 'delete'): Promise<ModelWorker> {
  const worker = new ModelWorker(registry);
  worker.table.put(item);
  await worker.archiveRest();
  if (end !== undefined) worker.table.delete(keyIn(registry.table, item));
  await worker.archiveRest();
  return worker;
}

/** Oldest first. */
async function statesOf({ archive, table }: ModelWorker, item: Item): Promise<Item[]> {
  const reader = modelArchiveReader(archive);
  for await (const { key, states } of listItems(reader, table.names))
    if (key !== undefined && keyText(key) === keyText(keyIn(table.names, item)))
      return Promise.all(states.map((state) => readState(reader, state)));
  return [];
}

function expectSame({ table }: ModelWorker, found: Item | undefined, expected: Item): void {
  if (found === undefined) fail('Expected the item in the archive, found nothing');
  const wrong = differences(table.names, expected, found);
  if (wrong.length > 0) fail(`The archived item is not the item: ${wrong.join('; ')}`);
}
