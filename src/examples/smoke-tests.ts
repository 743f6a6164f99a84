import { isDeepStrictEqual } from 'node:util';
import { DenormError } from '../model/basics/errors.ts';
import { withArticle } from '../model/basics/text.ts';
import { type Item, type ItemKey, keyIn, keyText, sameKey } from '../model/items/item.ts';
import { isOfKind, isSameKind, keyWith } from '../model/kinds/kind.ts';
import type { BoundArchiveRule, BoundWriter } from '../model/rules/bound-rule.ts';
import { isOfLedger } from '../model/rules/ledger.ts';
import type { Registry } from '../model/rules/registry.ts';
import { owns, writtenKind } from '../model/rules/rule-attributes.ts';
import type { Expected, SmokeTest, Step } from '../operate/smoke/smoke-test.ts';
import { ModelRefusal } from '../testing/table-model/impossible-item.ts';
import { lambdaChange } from '../testing/table-model/model-table.ts';
import { ModelWorker } from '../testing/table-model/model-worker.ts';
import { isStored, readByWhen } from '../worker/archive/decision.ts';
import { exampleChanges } from './example-changes.ts';
import { numberedIds, valuesOfKinds, variantOf, wholeItem } from './kind-values.ts';

const week = 604_800;

/**
 * What proves each rule, aggregate and archive rule on a deployed stack, or why nothing was found that does. The worker says
 * what must follow: on a model of the table, which holds nothing else.
 * @param mark part of every key
 */
export function smokeTestsOf(
  registry: Registry,
  mark: string,
): Promise<(SmokeTest | { readonly rule: string; readonly why: string })[]> {
  const { rules, aggregates, archives } = registry;
  const smokeTests = [...rules, ...aggregates, ...archives].map(async (rule, index) => {
    try {
      return await smokeTestOf(registry, rule, `${mark}-${index}-`);
    } catch (error) {
      if (!(error instanceof DenormError || error instanceof ModelRefusal)) throw error;
      return { rule: rule.name, why: error.message };
    }
  });
  return Promise.all(smokeTests);
}

async function smokeTestOf(
  registry: Registry,
  rule: BoundWriter | BoundArchiveRule,
  mark: string,
): Promise<SmokeTest> {
  const { table } = registry;
  const isArchive = rule.is === 'archive';
  const { first, changed, attribute } = isArchive
    ? expiring(registry, rule, mark)
    : changing(registry, rule, mark);
  const key = keyIn(table, changed);
  const worker = new ModelWorker(registry);
  const settled = await stateAfter(worker, first);
  const start = first.map((item) => settled.items.get(keyText(keyIn(table, item))) ?? item);
  const before = start.find((item) => sameKey(keyIn(table, item), key)) ?? changed;
  const change = Object.entries(changed).filter(([name]) => name === attribute);
  const states = [
    { ...settled, puts: start },
    await stateAfter(worker, [{ ...before, ...Object.fromEntries(change) }]),
    await stateAfter(worker, [], [key]),
  ];
  const end = await stateAfter(
    worker,
    [],
    start.map((item) => keyIn(table, item)),
  );
  const all = [...new Map(states.flatMap(({ items }) => [...items])).values()];
  const made = {
    keys: all.map((item) => keyIn(table, item)),
    objectKeys: [...new Set([...states, end].flatMap(({ objects }) => objects))],
  };
  if (![...made.keys.map(keyText), ...made.objectKeys].every((one) => one.includes(mark)))
    throw new DenormError(
      'smoke.items',
      `Expected items of ${rule.name}, and objects of the archive, that are told from others by an id in their keys, but found none: its kinds have keys without ids, or are archived in batches`,
    );

  const isItself = rule.is === 'rule' && rule.located.in === 'itself';
  const isWritten = (item: Item) => !isArchive && isOfKind(writtenKind(rule), item);
  const audience = all.filter((item) => isWritten(item) && (isItself || !sameKey(keyIn(table, item), key)));
  const steps = states.map(({ puts, removes, records, items, objects }, index): Step => {
    const expected = audience.map((item): Expected => {
      const [one, found] = [keyIn(table, item), items.get(keyText(keyIn(table, item)))];
      if (found === undefined) return { key: one, attributes: 'gone' };
      const ever = states.flatMap((state) => Object.keys(state.items.get(keyText(one)) ?? {}));
      const owned = [...new Set(ever)].filter((name) => !isArchive && owns(rule, name));
      return { key: one, attributes: Object.fromEntries(owned.map((name) => [name, found[name]])) };
    });
    const archived = (isArchive ? settled.objects : []).map((objectKey) => {
      return { objectKey, key, stored: objects.includes(objectKey) };
    });
    return { does: does[index] ?? 'removal', puts, removes, records, expected, objects: archived };
  });
  const shown = steps.filter(({ expected, objects }, index) => {
    const last = steps[index - 1];
    // The item that is its own copy goes itself.
    if (last === undefined || (isItself && index === 2)) return last === undefined;
    return !isDeepStrictEqual([expected, objects], [last.expected, last.objects]);
  });
  const makes = all.length > start.length || (isArchive && settled.objects.length > 0);
  if (shown.length < 2 && !makes)
    throw new DenormError(
      'smoke.items',
      `Expected a change that shows ${rule.name}, but found none: add other examples to its kinds`,
    );
  const every = ('every' in rule && rule.every) || 0;
  return { rule: rule.name, reader: isArchive ? 'Archive' : 'Propagate', steps: shown, made, every };
}

const does = ['creation', 'change', 'removal'] as const;

/** What applications write, the root first; then one of these items changes in an attribute, or another one comes. */
interface Items {
  readonly first: readonly Item[];
  readonly changed: Item;
  readonly attribute?: string | undefined;
}

function changing(registry: Registry, writer: BoundWriter, mark: string): Items {
  const { table, rules, aggregates } = registry;
  const isRule = writer.is === 'rule';
  const kind = isRule ? writer.root : writer.of;
  // A change of what the worker writes is taken back.
  const writers = [...rules, ...aggregates].filter((one) => isSameKind(writtenKind(one), kind));
  const marked = { mark, isFixed: (name: string) => writers.some((one) => owns(one, name)) };
  const { before, after, others, attribute } = exampleChanges(writer, 0, marked).change(2, 0);
  const own = before === undefined ? [] : [before];
  if (isRule) return { first: writer.creates ? own : [...own, ...others], changed: after, attribute };
  const first = [...others, ...own].filter((item) => !isOfLedger(writer, keyIn(table, item)));
  return { first, changed: after, attribute };
}

/** An item of the first kind, with an expiry. */
function expiring(registry: Registry, rule: BoundArchiveRule, mark: string): Items {
  const { table } = registry;
  const [kind] = rule.kinds;
  const values = kind && valuesOfKinds(registry).get(kind.name);
  const key = kind && keyWith(kind, numberedIds(kind, 0, mark));
  const item = values && key && wholeItem(values, key, mark);
  const found = item && variantOf(values, item, readByWhen(rule, kind), (one) => isStored(rule, kind, one));
  if (found === undefined)
    throw new DenormError(
      'smoke.items',
      `Expected to make ${withArticle(kind?.name ?? 'kind')} that ${rule.name} archives, but found none: add examples to ${kind?.name}`,
    );
  const changed = { ...found, [table.ttl]: { N: String(Math.floor(Date.now() / 1000) + week) } };
  return { first: [changed], changed };
}

interface State extends Pick<Step, 'puts' | 'removes' | 'records'> {
  /** By their keys as text. */
  readonly items: ReadonlyMap<string, Item>;
  readonly objects: readonly string[];
}

/**
 * The table and the archive after these writes, once the worker rests.
 * @throws DenormError for a dead letter
 */
async function stateAfter(
  worker: ModelWorker,
  puts: readonly Item[],
  removes: readonly ItemKey[] = [],
): Promise<State> {
  const { table, archive, queue } = worker;
  const from = table.history.length;
  for (const item of puts) table.put(item);
  for (const key of removes) table.delete(key);
  const written = table.history.slice(from);
  await worker.rest();
  await worker.archiveRest();
  const [deadLetter] = queue.deadLettered;
  if (deadLetter !== undefined) throw new DenormError(deadLetter.code, deadLetter.reason);
  const records = written.map((one) => lambdaChange(table.names, { ...one, at: Date.now() }));
  // The last state of an item is beside its object, which is removed with it.
  const objects = archive.keys().map((one) => one.replace(/\.\d+$/, ''));
  const items = new Map(table.items().map((item) => [keyText(keyIn(table.names, item)), item]));
  return { puts, removes, records, items, objects };
}
