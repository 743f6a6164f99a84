import { fail } from 'node:assert/strict';
import { type Item, keyIn } from '../../model/item.ts';
import { workerOver } from './conformance.ts';
import type { Example } from './rule-example.ts';

/** The copies after the change, as a rule makes them: without what applications put on them. None if it creates none. */
export function madeCopies({ registry: { table }, rule, relation, followed }: Example): readonly Item[] {
  if (!rule.creates) return [];
  const own = [table.pk, table.sk, table.type];
  return followed.map((copy) =>
    Object.fromEntries(Object.entries(copy).filter(([name]) => own.includes(name) || relation.writes(name))),
  );
}

/** What a rule that creates copies promises instead. */
export function madeAgain({ registry, copies, changed, followed }: Example): [string, () => Promise<void>] {
  const body = async () => {
    const worker = workerOver(registry, [changed, ...followed]);
    const key = (item: Item) => keyIn(registry.table, item);
    const deleted = () => copies.filter((copy) => worker.table.read(key(copy)) === undefined);
    for (const copy of copies) worker.table.delete(key(copy));
    await worker.rest();
    if (deleted().length > 0)
      fail(`Expected deleted copies to be made again, found ${deleted().length} missing`);
    worker.table.delete(key(changed));
    for (const copy of copies) worker.table.delete(key(copy));
    await worker.rest();
    const made = copies.length - deleted().length;
    if (made > 0) fail(`Expected no copy of a root that is gone, found ${made}`);
  };
  return ['makes a deleted copy again while its root places it, and none of a root that is gone', body];
}
