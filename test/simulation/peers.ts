import type { Functions } from '../../src/develop/testing/simulation/world/worker-under-test.ts';
import type { Change } from '../../src/model/change.ts';
import { isListed, listedKeys } from '../../src/model/copy-location.ts';
import { type Item, keyOf, keysIn, keyText } from '../../src/model/item.ts';
import { isOfKind } from '../../src/model/kind.ts';
import type { Rule } from '../../src/model/rule.ts';
import { archiveBatch } from '../../src/worker/archive/archive-batch.ts';
import type { StreamRecord } from '../../src/worker/batch/group.ts';
import type { PropagationContext } from '../../src/worker/propagation/context.ts';
import { project } from '../../src/worker/propagation/plan/projection.ts';
import { locationOf } from '../../src/worker/propagation/plan/rule-functions.ts';

/** Ways in which others do it, and which the simulator has to catch. */
export const peers = ['the image, no condition', 'the image, newer than the last', 'whole items'] as const;

export type Peer = (typeof peers)[number];

/** The functions of such a worker: it applies what the event says, record by record, and fans nothing out. */
export function functionsOf(peer: Peer): Functions {
  const applied = new Map<string, number>();
  return {
    propagateBatch: async (context, records) => {
      for (const record of records) await apply(context, record, peer, applied);
      return new Map();
    },
    fanOutBatch: async () => new Map(),
    archiveBatch,
    sweep: async () => [],
  };
}

async function apply(
  context: PropagationContext,
  { says }: StreamRecord,
  peer: Peer,
  applied: Map<string, number>,
): Promise<void> {
  if ('unreadable' in says || says.after === undefined) return;
  for (const rule of context.registry.rules)
    if (isOfKind(context.registry.table, rule.root, says.after))
      await applyImage(context, rule, says, says.after, peer, applied).catch(() => undefined);
}

async function applyImage(
  context: PropagationContext,
  rule: Rule,
  change: Change,
  image: Item,
  peer: Peer,
  applied: Map<string, number>,
): Promise<void> {
  const { table } = context.registry;
  for (const copy of await copiesOf(context, rule, image)) {
    const key = keyOf(table, copy);
    if (key === undefined || !isOfKind(table, rule.copy, copy)) continue;
    const at = change.at ?? 0;
    if (peer === 'the image, newer than the last') {
      if (at < (applied.get(keyText(key)) ?? 0)) continue;
      applied.set(keyText(key), at);
    }
    const wanted = [...project(table, rule, image, copy)];
    const entries = wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    const keys = new Set([table.pk, table.sk]);
    const kept = Object.entries(copy).filter(([name]) => peer === 'whole items' && !keys.has(name));
    await context.table.update([
      {
        key,
        set: { ...Object.fromEntries(kept), ...Object.fromEntries(entries) },
        remove: wanted.flatMap(([name, value]) => (value === undefined ? [name] : [])),
        expect: {},
      },
    ]);
  }
}

async function copiesOf(context: PropagationContext, rule: Rule, image: Item): Promise<readonly Item[]> {
  const location = locationOf(context.registry.table, rule, image);
  if (isListed(location)) return context.table.getMany(listedKeys(location));
  if (location.in === 'partition') return (await context.table.query(location, 1000)).entries;
  return context.table.getMany(
    keysIn(context.registry.table, (await context.table.query(location, 1000)).entries),
  );
}
